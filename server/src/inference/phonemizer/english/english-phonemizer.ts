import type { LanguagePhonemizer, PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { SpokenWord } from '../../../text/piece.ts';
import {
  addPrimaryStress,
  addSecondaryStress,
  demotePrimaryStress,
  hasPrimaryStress,
  stressLetters,
  stressWeight,
} from '../common/stress.ts';
import type { Espeak } from '../espeak/espeak.ts';
import { KOKORO_OTHER } from '../espeak/espeak-notations.ts';
import type { EspeakNotation } from '../espeak/espeak-words.ts';
import { espeakVoiceForScript } from '../espeak/foreign-scripts.ts';
import { toKokoroSymbols } from '../notation/write-given-phonemes.ts';
import { kokoroPunctuation, toKokoroAlphabet } from '../tokens/kokoro-symbols.ts';
import { BRITISH, type EnglishAccent, withS } from './english-accent.ts';
import { guessTag, type Tag } from './english-context.ts';
import type { EnglishDictionary } from './english-dictionary.ts';
import { pronounceByContext } from './english-heteronyms.ts';
import type { HeteronymModel } from './heteronyms/heteronym-model.ts';

/** What follows a word; function words depend on it ("the end", "the start"). */
type Following = 'vowel' | 'consonant' | 'pause';

const VOWELS = 'AIOQWYaiuæɐɑɒɔəɛɜɪʊʌᵻ';
const PAUSE = /[;:,.!?—…]/;

/** English in Kokoro's phonemes: dictionaries, then rules, then espeak-ng. */
export class EnglishPhonemizer implements LanguagePhonemizer {
  readonly #dictionary: EnglishDictionary;
  readonly #heteronyms: HeteronymModel;
  readonly #espeak: Espeak;
  readonly #notation: EspeakNotation;
  readonly #accent: EnglishAccent;

  constructor(parts: {
    accent: EnglishAccent;
    dictionary: EnglishDictionary;
    heteronyms: HeteronymModel;
    espeak: Espeak;
    notation: EspeakNotation;
  }) {
    this.#accent = parts.accent;
    this.#dictionary = parts.dictionary;
    this.#heteronyms = parts.heteronyms;
    this.#espeak = parts.espeak;
    this.#notation = parts.notation;
  }

  phonemize(words: readonly SpokenWord[]): PhonemizedText {
    const phonemes = new Array<string>(words.length).fill('');
    let following: Following = 'pause';
    for (let index = words.length - 1; index >= 0; index--) {
      const word = words[index]!;
      if (PAUSE.test(word.after)) following = 'pause';
      phonemes[index] = this.#word(words, index, following);
      following = PAUSE.test(word.before) ? 'pause' : (initialSoundOf(phonemes[index]!) ?? following);
    }
    restressAcronyms(words, phonemes);
    return assemble(words, phonemes);
  }

  #word(words: readonly SpokenWord[], index: number, following: Following): string {
    const { text, spell, phonemes } = words[index]!;
    if (phonemes) return toKokoroSymbols(phonemes, this.#accent === BRITISH ? 'british' : 'american');
    const word = text.normalize('NFKC').replace(/[‘’ʼ`]/g, "'");
    if (spell === true) return this.#letters(word);
    const pronunciation =
      functionWord(word, following) ??
      this.#simple(word, words, index, following) ??
      this.#compound(word, words, index, following);
    return toKokoroAlphabet(pronunciation);
  }

  /** A word in a dictionary, with or without its diacritics. */
  #simple(
    word: string,
    words: readonly SpokenWord[],
    index: number,
    following: Following,
  ): string | undefined {
    const plain = withoutAccents(word);
    if (!/^[A-Za-z'-]+$/.test(plain)) return undefined;
    const reading = {
      tag: () => this.#heteronyms.tag(words, index),
      beforePause: following === 'pause',
    };
    if (this.#dictionary.isAbbreviation(word) && guessTag(words, index) === 'NOUN')
      return this.#letters(word);
    const find = (variant: string, tag?: Tag) =>
      this.#dictionary.find(variant, tag === undefined ? reading : { ...reading, tag: () => tag });
    const found = (word === plain ? this.#heteronym(word, words, index, find) : find(word)) ?? find(plain);
    return found === undefined ? undefined : stressByCase(found, word);
  }

  /** The pronunciation of a heteronym in its context; undefined for other words. */
  #heteronym(
    word: string,
    words: readonly SpokenWord[],
    index: number,
    find: (word: string, tag?: Tag) => string | undefined,
  ): string | undefined {
    const byRule = pronounceByContext(word, words, index, find);
    if (byRule !== undefined) return byRule;
    const sense = this.#heteronyms.sense(words, index);
    return sense === undefined ? undefined : find(sense.as ?? word, sense.tag);
  }

  /** Hyphenated and compound words: each part separately, the weaker one with less stress. */
  #compound(word: string, words: readonly SpokenWord[], index: number, following: Following): string {
    const parts = word.split(/[-‐‑_\s]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => /\p{L}|\p{N}/u.test(part));
    if (parts.length > 1) {
      const pronunciations = parts.map(
        (part) =>
          this.#simple(part, words, index, following) ??
          this.#spelledOut(part) ??
          this.#pronounceUnknown(part),
      );
      return balanceStress(parts, pronunciations).join('');
    }
    return this.#spelledOut(word) ?? this.#pronounceUnknown(word);
  }

  /** A short word in capitals that is in no dictionary is an abbreviation ("DNS", "DNS's", "PDFs"). */
  #spelledOut(word: string): string | undefined {
    const abbreviation = /^([A-Z]{1,5})('?s)?$/.exec(word);
    if (abbreviation === null) return undefined;
    const letters = this.#letters(abbreviation[1]!);
    return abbreviation[2] === undefined ? letters : withS(letters, this.#accent);
  }

  #letters(word: string): string {
    const names = [...word].map(
      (letter) => this.#dictionary.letter(letter) ?? this.#pronounceUnknown(letter),
    );
    return names.length === 1 ? addPrimaryStress(names[0]!) : stressLetters(names).join('');
  }

  /** espeak-ng's pronunciation of an out-of-vocabulary word. */
  #pronounceUnknown(word: string): string {
    const foreign = espeakVoiceForScript(word);
    if (foreign !== undefined && this.#espeak.hasVoice(foreign)) {
      return this.#pronounce(word, foreign, KOKORO_OTHER);
    }
    // In lower case, since espeak-ng may spell out capitals; the possessive is added in the accent.
    const lower = word.toLowerCase();
    const possessive = /^(.+)'s$/.exec(lower);
    const stem = this.#pronounce(possessive?.[1] ?? lower, this.#accent.espeakVoice, this.#notation);
    return possessive === null || stem === '' ? stem : withS(stem, this.#accent);
  }

  #pronounce(word: string, voice: string, notation: EspeakNotation): string {
    const groups = this.#espeak.phonemes(word, voice);
    return groups
      .map((group) => notation.write(group))
      .join(' ')
      .trim();
  }
}

/** Function words whose form depends on the next phoneme, as in Kokoro's training text. */
function functionWord(word: string, following: Following): string | undefined {
  switch (word.toLowerCase()) {
    case 'a':
      return 'ɐ';
    case 'an':
      return 'ɐn';
    case 'am':
      return following === 'pause' ? undefined : 'ɐm';
    case 'i':
      return 'ˌI';
    case 'the':
      return following === 'vowel' ? 'ði' : 'ðə';
    case 'to':
      return following === 'pause' ? undefined : following === 'vowel' ? 'tʊ' : 'tə';
    case 'in':
      return following === 'pause' ? 'ˈɪn' : 'ɪn';
    default:
      return undefined;
  }
}

function initialSoundOf(phonemes: string): Following | undefined {
  for (const symbol of phonemes) {
    if (symbol === 'ˈ' || symbol === 'ˌ') continue;
    return VOWELS.includes(symbol) ? 'vowel' : 'consonant';
  }
  return undefined;
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o').replaceAll('ß', 'ss');
}

/** A capitalized function word gets a secondary stress, one in capitals a primary stress. */
function stressByCase(phonemes: string, word: string): string {
  if (word === word.toLowerCase()) return phonemes;
  return word === word.toUpperCase() && word.length > 1
    ? addPrimaryStress(phonemes)
    : addSecondaryStress(phonemes);
}

/** At most the heavier half of the parts of a compound keep their primary stress. */
function balanceStress(parts: readonly string[], pronunciations: readonly string[]): string[] {
  const result = [...pronunciations];
  const audible = pronunciations
    .map((phonemes, index) => ({
      index,
      weight: stressWeight(phonemes) + (hasPrimaryStress(phonemes) ? 1000 : 0),
      phonemes,
    }))
    .filter(({ phonemes }) => phonemes !== '');
  if (audible.length === 2 && parts[audible[0]!.index]!.length === 1) {
    result[audible[1]!.index] = demotePrimaryStress(audible[1]!.phonemes);
    return result;
  }
  const stressed = audible.filter(({ phonemes }) => hasPrimaryStress(phonemes)).length;
  if (audible.length < 2 || stressed <= Math.floor((audible.length + 1) / 2)) return result;
  audible.sort((a, b) => a.weight - b.weight || a.index - b.index);
  for (const { index, phonemes } of audible.slice(0, Math.floor(audible.length / 2)))
    result[index] = demotePrimaryStress(phonemes);
  return result;
}

const continuesAcronym = (word: SpokenWord, previous: SpokenWord | undefined) =>
  word.spell === true &&
  previous?.spell === true &&
  previous.after === '' &&
  word.before === '' &&
  previous.start === word.start &&
  previous.end === word.end;

/** Stresses the letters of one written abbreviation as one word. */
function restressAcronyms(words: readonly SpokenWord[], phonemes: string[]): void {
  for (let start = 0; start < words.length; start++) {
    let end = start + 1;
    while (end < words.length && continuesAcronym(words[end]!, words[end - 1])) end++;
    if (end - start > 1) phonemes.splice(start, end - start, ...stressLetters(phonemes.slice(start, end)));
    start = end - 1;
  }
}

function assemble(words: readonly SpokenWord[], phonemes: readonly string[]): PhonemizedText {
  let symbols = '';
  const wordSpans: WordSpan[] = [];
  for (const [index, word] of words.entries()) {
    const pronunciation = phonemes[index]!;
    const before = kokoroPunctuation(word.before);
    const after = kokoroPunctuation(word.after);
    const isNewWord = !continuesAcronym(word, words[index - 1]);
    if (symbols !== '' && isNewWord && before + pronunciation !== '' && !symbols.endsWith(' '))
      symbols += ' ';
    symbols += before;
    wordSpans.push({ start: symbols.length, end: symbols.length + pronunciation.length });
    symbols += pronunciation + after;
  }
  return { symbols, wordSpans };
}
