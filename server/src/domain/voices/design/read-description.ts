import type { Aspect, VoiceDescription, VoiceTargets } from './described-voice.ts';
import { DEGREES, FILLERS, MEANINGS, type Meaning, NEGATIONS, type Shift } from './description-words.ts';

const PHRASE_WORDS_MAX = 3;
/** How many words a negation or a degree reaches. */
const REACH = 3;
/** No voice is further out than this. */
const DEVIATION_MAX = 2.5;
/** What one step of pace does; hardly anybody speaks faster or slower than this by nature. */
const PACE_STEP = 1.15;
const PACE_MIN = 0.7;
const PACE_MAX = 1.4;

/** Reads what a description asks of a voice, and says which of its words are followed. English only. */
export function readDescription(text: string): VoiceDescription {
  const reader = new Reader();
  for (const clause of text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.,;:!?()\n]+|\bbut\b/)) {
    reader.read(clause);
  }
  return reader.result();
}

/** A word that was found to mean something. */
interface Found {
  readonly text: string;
  readonly meaning: Meaning;
  readonly degree: number;
}

class Reader {
  readonly #found: Found[] = [];
  readonly #ignored: string[] = [];

  read(clause: string): void {
    const words = (withAges(clause).match(/[\p{L}\p{N}']+/gu) ?? []) as string[];
    let modifier = NONE;
    for (let at = 0; at < words.length; ) {
      const phrase = longestPhrase(words, at);
      const word = words[at]!;
      if (phrase !== undefined) {
        this.#take(phrase, modifier);
        modifier = NONE;
        at += phrase.split(' ').length;
        continue;
      }
      if (NEGATIONS.has(word)) modifier = { ...modifier, isNegated: true, reach: REACH };
      else if (word in DEGREES) modifier = { ...modifier, degree: DEGREES[word]!, reach: REACH };
      else if (!FILLERS.has(word)) this.#ignored.push(word);
      modifier = modifier.reach > 0 ? { ...modifier, reach: modifier.reach - 1 } : NONE;
      at++;
    }
  }

  #take(phrase: string, { isNegated, degree }: Modifier): void {
    if (isNegated) {
      this.#ignored.push(`not ${phrase}`);
      return;
    }
    const meanings = MEANINGS.get(phrase)!;
    for (const meaning of meanings) {
      if (!meaning.isBeyondUs) this.#found.push({ text: phrase, meaning, degree });
    }
    if (meanings.some(({ isBeyondUs }) => isBeyondUs)) this.#ignored.push(phrase);
  }

  result(): VoiceDescription {
    const aspects: Partial<Record<Aspect, string>> = {};
    for (const { meaning } of this.#found) aspects[meaning.aspect] ??= meaning.label;
    const gender = this.#gender();
    if (gender !== undefined) aspects.gender = gender;
    const wish: VoiceTargets = {
      ...(gender && { gender }),
      ...this.#deviation('pitch'),
      ...this.#deviation('melody'),
      ...this.#deviation('brightness'),
    };
    const pace = PACE_STEP ** (this.#sum('pace') ?? 0);
    return {
      wish,
      pace: Math.min(Math.max(pace, PACE_MIN), PACE_MAX),
      aspects,
      understood: unique(this.#found.map(({ text }) => text)),
      ignored: unique(this.#ignored),
    };
  }

  /** The noun counts: in “a woman with her father's accent” it comes first. */
  #gender(): VoiceTargets['gender'] {
    return this.#found.find(({ meaning }) => meaning.gender !== undefined)?.meaning.gender;
  }

  #deviation<Name extends keyof VoiceTargets & Shift>(name: Name): Partial<Record<Name, number>> {
    const sum = this.#sum(name);
    if (sum === undefined) return {};
    return { [name]: Math.min(Math.max(sum, -DEVIATION_MAX), DEVIATION_MAX) } as Record<Name, number>;
  }

  /** What is said twice in other words counts once, as the strongest of it. Undefined: nothing is said about it. */
  #sum(shift: Shift): number | undefined {
    const byLabel = new Map<string, number>();
    for (const { meaning, degree } of this.#found) {
      const value = meaning.shifts?.[shift];
      if (value === undefined) continue;
      const strong = value * degree;
      const known = byLabel.get(meaning.label) ?? 0;
      byLabel.set(meaning.label, Math.abs(strong) > Math.abs(known) ? strong : known);
    }
    return byLabel.size === 0 ? undefined : [...byLabel.values()].reduce((sum, value) => sum + value, 0);
  }
}

interface Modifier {
  readonly isNegated: boolean;
  readonly degree: number;
  /** Words it still reaches. */
  readonly reach: number;
}
const NONE: Modifier = { isNegated: false, degree: 1, reach: 0 };

function longestPhrase(words: readonly string[], at: number): string | undefined {
  for (let length = PHRASE_WORDS_MAX; length >= 1; length--) {
    const phrase = words.slice(at, at + length).join(' ');
    if (at + length <= words.length && MEANINGS.has(phrase)) return phrase;
  }
  return undefined;
}

const AGE =
  /\b(\d{1,3})\s*-?\s*(?:years?|yrs?)\s*-?\s*old\b|\b(?:aged?|age of)\s+(\d{1,3})\b|\b(\d{1,2}0)\s*'?s\b/g;

/** Ages in figures become words of the table. */
function withAges(clause: string): string {
  return clause.replaceAll(AGE, (_, ...groups: unknown[]) => {
    const age = Number(groups.slice(0, 3).find((group) => group !== undefined));
    return age < 13 ? 'child' : age < 30 ? 'young' : age < 60 ? 'middle aged' : 'old';
  });
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
