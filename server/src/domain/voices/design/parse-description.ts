import { FILLERS, INTENSIFIERS, MEANINGS, type Meaning, NEGATIONS, type Shift } from './description-words.ts';
import type { Aspect, VoiceDescription, VoiceTargets } from './voice-description.ts';

const PHRASE_WORDS_MAX = 3;
/** Number of following words to which a negation or an intensifier applies. */
const REACH = 3;
/** Limit of target traits, in standard deviations. */
const DEVIATION_MAX = 2.5;
/** Factor of one step of speaking rate. The limits are those of natural speech. */
const RATE_STEP = 1.15;
const RATE_MIN = 0.7;
const RATE_MAX = 1.4;

/** Parses the description of a voice in English. */
export function parseDescription(text: string): VoiceDescription {
  const parser = new DescriptionParser();
  for (const clause of text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.,;:!?()\n]+|\bbut\b/)) {
    parser.parseClause(clause);
  }
  return parser.result();
}

/** An occurrence of a known word or phrase. */
interface Match {
  readonly text: string;
  readonly meaning: Meaning;
  readonly intensity: number;
}

class DescriptionParser {
  readonly #matches: Match[] = [];
  readonly #ignored: string[] = [];

  parseClause(clause: string): void {
    const words = (withAges(clause).match(/[\p{L}\p{N}']+/gu) ?? []) as string[];
    let modifier = NONE;
    for (let at = 0; at < words.length; ) {
      const phrase = longestPhrase(words, at);
      const word = words[at]!;
      if (phrase !== undefined) {
        this.#addMatch(phrase, modifier);
        modifier = NONE;
        at += phrase.split(' ').length;
        continue;
      }
      if (NEGATIONS.has(word)) modifier = { ...modifier, isNegated: true, reach: REACH };
      else if (Object.hasOwn(INTENSIFIERS, word))
        modifier = { ...modifier, intensity: INTENSIFIERS[word]!, reach: REACH };
      else if (!FILLERS.has(word)) this.#ignored.push(word);
      modifier = modifier.reach > 0 ? { ...modifier, reach: modifier.reach - 1 } : NONE;
      at++;
    }
  }

  #addMatch(phrase: string, { isNegated, intensity }: Modifier): void {
    if (isNegated) {
      this.#ignored.push(`not ${phrase}`);
      return;
    }
    const meanings = MEANINGS.get(phrase)!;
    for (const meaning of meanings) {
      if (!meaning.isUnsupported) this.#matches.push({ text: phrase, meaning, intensity });
    }
    if (meanings.some(({ isUnsupported }) => isUnsupported)) this.#ignored.push(phrase);
  }

  result(): VoiceDescription {
    const aspects: Partial<Record<Aspect, string>> = {};
    for (const { meaning } of this.#matches) aspects[meaning.aspect] ??= meaning.label;
    const gender = this.#gender();
    if (gender !== undefined) aspects.gender = gender;
    const targets: VoiceTargets = {
      ...(gender && { gender }),
      ...this.#deviation('pitch'),
      ...this.#deviation('pitchRange'),
      ...this.#deviation('brightness'),
    };
    const speakingRate = RATE_STEP ** (this.#sum('speakingRate') ?? 0);
    return {
      targets,
      speakingRate: Math.min(Math.max(speakingRate, RATE_MIN), RATE_MAX),
      aspects,
      understood: unique(this.#matches.map(({ text }) => text)),
      ignored: unique(this.#ignored),
    };
  }

  /** The first word with a gender decides: “a woman with her father's accent”. */
  #gender(): VoiceTargets['gender'] {
    return this.#matches.find(({ meaning }) => meaning.gender !== undefined)?.meaning.gender;
  }

  #deviation<Name extends keyof VoiceTargets & Shift>(name: Name): Partial<Record<Name, number>> {
    const sum = this.#sum(name);
    if (sum === undefined) return {};
    return { [name]: Math.min(Math.max(sum, -DEVIATION_MAX), DEVIATION_MAX) } as Record<Name, number>;
  }

  /** Sum over the labels; synonyms count once, with the strongest value. Undefined when the description has none. */
  #sum(shift: Shift): number | undefined {
    const byLabel = new Map<string, number>();
    for (const { meaning, intensity } of this.#matches) {
      const value = meaning.shifts?.[shift];
      if (value === undefined) continue;
      const weighted = value * intensity;
      const known = byLabel.get(meaning.label) ?? 0;
      byLabel.set(meaning.label, Math.abs(weighted) > Math.abs(known) ? weighted : known);
    }
    return byLabel.size === 0 ? undefined : [...byLabel.values()].reduce((sum, value) => sum + value, 0);
  }
}

interface Modifier {
  readonly isNegated: boolean;
  readonly intensity: number;
  /** Number of words to which it still applies. */
  readonly reach: number;
}
const NONE: Modifier = { isNegated: false, intensity: 1, reach: 0 };

function longestPhrase(words: readonly string[], at: number): string | undefined {
  for (let length = PHRASE_WORDS_MAX; length >= 1; length--) {
    const phrase = words.slice(at, at + length).join(' ');
    if (at + length <= words.length && MEANINGS.has(phrase)) return phrase;
  }
  return undefined;
}

const AGE =
  /\b(\d{1,3})\s*-?\s*(?:years?|yrs?)\s*-?\s*old\b|\b(?:aged?|age of)\s+(\d{1,3})\b|\b(\d{1,2}0)\s*'?s\b/g;

/** Replaces ages in figures by words of the table. */
function withAges(clause: string): string {
  return clause.replaceAll(AGE, (_, ...groups: unknown[]) => {
    const age = Number(groups.slice(0, 3).find((group) => group !== undefined));
    return age < 13 ? 'child' : age < 30 ? 'young' : age < 60 ? 'middle aged' : 'old';
  });
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
