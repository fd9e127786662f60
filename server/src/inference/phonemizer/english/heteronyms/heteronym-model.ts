import type { SpokenWord } from '../../../../text/piece.ts';
import type { PronunciationTable } from '../../common/pronunciation-table.ts';
import { guessTag, type Tag } from '../english-context.ts';
import { heteronymFeatures } from './heteronym-features.ts';
import { HETERONYM_SENSES, type HeteronymSense } from './heteronym-senses.ts';
import { normalizeWord } from './word-classes.ts';

/** Words whose part of speech the rules determine better than the model. */
const TAGGED_BY_RULES: ReadonlySet<string> = new Set([
  ...['that', 'used', 'upset', 'read', 'reread', 'content', 'invalid'],
]);

/** Words that are adjectives if they are not verbs, in the dictionary's notation. */
const VERB_OR_ADJECTIVE: ReadonlySet<string> = new Set(
  `adulterate animate attenuate bifurcate consummate deliberate diffuse elaborate incarnate incorporate learned mediate
  obligate radiate regenerate`.split(/\s+/),
);

/**
 * A logistic regression that selects the sense of a heteronym. Its table has one line per feature with a weight
 * (`training/heteronyms`); positive scores stand for the verb, or for the second of two senses.
 */
export class HeteronymModel {
  readonly #weights: PronunciationTable;

  constructor(weights: PronunciationTable) {
    this.#weights = weights;
  }

  /** The part of speech of a word with several pronunciations. */
  tag(words: readonly SpokenWord[], index: number): Tag | undefined {
    const guess = guessTag(words, index);
    const word = normalizeWord(words[index]!);
    if (TAGGED_BY_RULES.has(word)) return guess;
    const sense = this.sense(words, index);
    if (sense !== undefined) return sense.tag ?? guess;
    const { shared, own } = heteronymFeatures(words, index, guess);
    const isVerb = this.#sum(shared) + this.#sumOwn(word, own) > 0;
    if (isVerb) return guess === 'VBD' || guess === 'VBN' ? guess : 'VERB';
    if (VERB_OR_ADJECTIVE.has(word)) return 'ADJ';
    return guess === 'NOUN' || guess === 'ADJ' ? guess : 'NOUN';
  }

  /** The sense of a heteronym whose senses are not distinguished by noun and verb; undefined for all other words. */
  sense(words: readonly SpokenWord[], index: number): HeteronymSense | undefined {
    const word = normalizeWord(words[index]!);
    const senses = HETERONYM_SENSES.get(word);
    if (senses === undefined) return undefined;
    const { own } = heteronymFeatures(words, index, guessTag(words, index));
    return senses[this.#sumOwn(word, own) > 0 ? 1 : 0];
  }

  #sumOwn(word: string, features: readonly string[]): number {
    if (this.#weights.find(`${word} bias`) === undefined) return 0;
    return this.#sum(features.map((feature) => `${word} ${feature}`));
  }

  #sum(features: readonly string[]): number {
    return features.reduce((sum, feature) => sum + Number(this.#weights.find(feature)?.[0] ?? 0), 0);
  }
}
