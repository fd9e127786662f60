import type { PronunciationTable } from '../common/pronunciation-table.ts';
import { addSecondaryStress } from '../common/stress.ts';
import { convertCmuStyle } from '../notation/cmu-style.ts';
import { type EnglishAccent, withEd, withIng, withS } from './english-accent.ts';
import type { Tag } from './english-context.ts';

/** Context that a pronunciation can depend on. */
export interface ReadingContext {
  /** Evaluated only when the word has several pronunciations. */
  readonly tag: () => Tag | undefined;
  /** Whether a pause follows; function words then have their strong form. */
  readonly beforePause: boolean;
}

/**
 * Pronunciations of words: from Kokoro's dictionary, then from a large general one, and from both for the stems of
 * plurals, possessives, past tenses and "-ing" forms.
 */
export class EnglishDictionary {
  readonly #accent: EnglishAccent;
  readonly #own: PronunciationTable;
  readonly #general: PronunciationTable | undefined;
  readonly #names: ReadonlyMap<string, string>;
  readonly #variants: ReadonlyMap<string, readonly string[]>;

  constructor(tables: {
    accent: EnglishAccent;
    own: PronunciationTable;
    general?: PronunciationTable | undefined;
    names?: ReadonlyMap<string, string>;
    /** Words whose entries replace those of `own`, with the same fields. */
    variants?: ReadonlyMap<string, readonly string[]>;
  }) {
    this.#accent = tables.accent;
    this.#own = tables.own;
    this.#general = tables.general;
    this.#names = tables.names ?? new Map();
    this.#variants = tables.variants ?? new Map();
  }

  /** Kokoro's phonemes for one word without hyphens, or undefined if it is in no table. */
  find(word: string, reading: ReadingContext): string | undefined {
    const known = this.#lookUp(word, reading) ?? this.#inflected(word, reading);
    if (known !== undefined) return known;
    const lookUp = (stem: string) => this.#lookUpGeneral(stem);
    return lookUp(word) ?? this.#inflected(word, reading, lookUp);
  }

  /** Whether a word in capitals is spelled out as a noun ("the US", "an ID"). */
  isAbbreviation(word: string): boolean {
    return this.#own.find(word)?.includes('NOUN=') ?? false;
  }

  /** The name of a letter, `A` to `Z`. */
  letter(letter: string): string | undefined {
    return this.#own.find(letter.toUpperCase())?.[0];
  }

  #lookUp(word: string, reading: ReadingContext): string | undefined {
    const lower = word.toLowerCase();
    const capitalized = lower.charAt(0).toUpperCase() + lower.slice(1);
    const fields =
      this.#variants.get(lower) ??
      this.#own.find(word) ??
      this.#own.find(lower) ??
      this.#own.find(capitalized);
    if (fields === undefined) return undefined;
    const [standard, ...variants] = fields;
    return (variants.length > 0 ? choose(variants, reading) : undefined) ?? standard;
  }

  #lookUpGeneral(word: string): string | undefined {
    const name = this.#names.get(word.toLowerCase());
    if (name !== undefined) return name;
    const general = this.#general?.find(word.toUpperCase())?.[0];
    return general === undefined ? undefined : convertCmuStyle(general);
  }

  #inflected(
    word: string,
    reading: ReadingContext,
    lookUp?: (stem: string) => string | undefined,
  ): string | undefined {
    const verb = { ...reading, tag: () => 'VERB' as const };
    const lookUpVerb = lookUp ?? ((stem: string) => this.#lookUp(stem, verb));
    return (
      this.#sForm(word, lookUp ?? ((stem) => this.#lookUp(stem, reading))) ??
      this.#edForm(word, lookUpVerb) ??
      this.#ingForm(word, lookUpVerb)
    );
  }

  #sForm(word: string, lookUp: (stem: string) => string | undefined): string | undefined {
    if (/s'$/i.test(word)) return lookUp(word.slice(0, -1)) ?? this.#sForm(word.slice(0, -1), lookUp);
    if (word.endsWith("'")) return lookUp(word.slice(0, -1));
    if (word.length < 3 || !/[^s]s$/i.test(word)) return undefined;
    const stem =
      (word.endsWith("'s") ? lookUp(word.slice(0, -2)) : lookUp(word.slice(0, -1))) ??
      (/.{3}es$/i.test(word) && !/ies$/i.test(word) ? lookUp(word.slice(0, -2)) : undefined) ??
      (/.{2}ies$/i.test(word) ? lookUp(`${word.slice(0, -3)}y`) : undefined);
    return stem === undefined ? undefined : withS(stem, this.#accent);
  }

  #edForm(word: string, lookUp: (stem: string) => string | undefined): string | undefined {
    if (word.length < 4 || !/[^d]d$/i.test(word)) return undefined;
    const isEd = /.{3}ed$/i.test(word) && !/eed$/i.test(word);
    const stem =
      (/ed$/i.test(word) ? lookUp(word.slice(0, -1)) : undefined) ??
      (isEd ? lookUp(word.slice(0, -2)) : undefined) ??
      (isEd && /([bdgklmnprt])\1ed$/i.test(word) ? lookUp(word.slice(0, -3)) : undefined) ??
      (/.{2}ied$/i.test(word) ? lookUp(`${word.slice(0, -3)}y`) : undefined);
    return stem === undefined ? undefined : withEd(stem, this.#accent);
  }

  #ingForm(word: string, lookUp: (stem: string) => string | undefined): string | undefined {
    if (word.length < 5 || !/ing$/i.test(word)) return undefined;
    const root = word.slice(0, -3);
    const spellings = [
      ...(word.length > 5 ? [root] : []),
      `${root}e`,
      ...(/([bcdgklmnprstvxz])\1$|ck$/i.test(root) ? [root.slice(0, -1)] : []),
    ];
    for (const spelling of spellings) {
      const stem = lookUp(spelling);
      if (stem !== undefined) return withIng(addSecondaryStress(stem), this.#accent, spelling);
    }
    return undefined;
  }
}

/** Selects among `TAG=phonemes` variants; undefined means the default. */
function choose(variants: readonly string[], reading: ReadingContext): string | undefined {
  const byTag = (tag: string) =>
    variants.find((variant) => variant.startsWith(`${tag}=`))?.slice(tag.length + 1) || undefined;
  if (reading.beforePause) {
    const full = byTag('None');
    if (full !== undefined) return full;
  }
  if (variants.every((variant) => variant.startsWith('None='))) return undefined;
  const tag = reading.tag();
  if (tag === undefined) return undefined;
  return byTag(tag) ?? (tag === 'VBD' || tag === 'VBN' ? byTag('VERB') : undefined);
}
