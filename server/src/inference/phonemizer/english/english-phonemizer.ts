import type { LanguagePhonemizer, PhonemizedText, WordSpan } from '../../../domain/engines/phonemizer.ts';
import type { SpokenWord } from '../../../text/piece.ts';
import { demote, emphasize, hasPrimaryStress, lift, stressLetters, stressWeight } from '../common/stress.ts';
import type { Espeak } from '../espeak/espeak.ts';
import { KOKORO_OTHER } from '../espeak/espeak-notations.ts';
import type { EspeakNotation } from '../espeak/espeak-words.ts';
import { voiceOfScript } from '../espeak/foreign-scripts.ts';
import { kokoroSounds } from '../notation/given-phonemes.ts';
import { kokoroPunctuation, onlyKokoroSymbols } from '../tokens/kokoro-symbols.ts';
import { BRITISH, type EnglishAccent, withS } from './english-accent.ts';
import { guessTag } from './english-context.ts';
import type { EnglishDictionary } from './english-dictionary.ts';
import { readingByNeighbours } from './english-heteronyms.ts';

/** What follows a word; small words change with it ("the end", "the start"). */
type Following = 'vowel' | 'consonant' | 'pause';

const VOWELS = 'AIOQWYaiuæɐɑɒɔəɛɜɪʊʌᵻ';
const PAUSE = /[;:,.!?—…]/;

/** English in Kokoro's phonemes: dictionaries, then rules, then espeak for what is left. */
export class EnglishPhonemizer implements LanguagePhonemizer {
  readonly #dictionary: EnglishDictionary;
  readonly #espeak: Espeak;
  readonly #notation: EspeakNotation;
  readonly #accent: EnglishAccent;

  constructor(parts: {
    accent: EnglishAccent;
    dictionary: EnglishDictionary;
    espeak: Espeak;
    notation: EspeakNotation;
  }) {
    this.#accent = parts.accent;
    this.#dictionary = parts.dictionary;
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
      following = PAUSE.test(word.before) ? 'pause' : (startOf(phonemes[index]!) ?? following);
    }
    restressAcronyms(words, phonemes);
    return assemble(words, phonemes);
  }

  #word(words: readonly SpokenWord[], index: number, following: Following): string {
    const { text, spell, phonemes } = words[index]!;
    if (phonemes) return kokoroSounds(phonemes, this.#accent === BRITISH ? 'british' : 'american');
    const word = text.normalize('NFKC').replace(/[‘’ʼ`]/g, "'");
    if (spell === true) return this.#letters(word);
    const sound =
      smallWord(word, following) ??
      this.#simple(word, words, index, following) ??
      this.#compound(word, words, index, following);
    return onlyKokoroSymbols(sound);
  }

  /** A word a dictionary has as it stands, or without its accents. */
  #simple(
    word: string,
    words: readonly SpokenWord[],
    index: number,
    following: Following,
  ): string | undefined {
    const plain = withoutAccents(word);
    if (!/^[A-Za-z'-]+$/.test(plain)) return undefined;
    const reading = { tag: () => guessTag(words, index), beforePause: following === 'pause' };
    if (this.#dictionary.isAbbreviation(word) && reading.tag() === 'NOUN') return this.#letters(word);
    const find = (variant: string) => this.#dictionary.find(variant, reading);
    const found =
      (word === plain ? readingByNeighbours(word, words, index, find) : find(word)) ?? find(plain);
    return found === undefined ? undefined : stressByCase(found, word);
  }

  /** Hyphenated words, and words made of two: each part on its own, the lesser one with less stress. */
  #compound(word: string, words: readonly SpokenWord[], index: number, following: Following): string {
    const parts = word.split(/[-‐‑_\s]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => /\p{L}|\p{N}/u.test(part));
    if (parts.length > 1) {
      const sounds = parts.map(
        (part) => this.#simple(part, words, index, following) ?? this.#spelledOut(part) ?? this.#guess(part),
      );
      return balance(parts, sounds).join('');
    }
    return this.#spelledOut(word) ?? this.#guess(word);
  }

  /** A short word in capitals that no dictionary has is an abbreviation ("DNS", "DNS's", "PDFs"). */
  #spelledOut(word: string): string | undefined {
    const abbreviation = /^([A-Z]{1,5})('?s)?$/.exec(word);
    if (abbreviation === null) return undefined;
    const letters = this.#letters(abbreviation[1]!);
    return abbreviation[2] === undefined ? letters : withS(letters, this.#accent);
  }

  #letters(word: string): string {
    const names = [...word].map((letter) => this.#dictionary.letter(letter) ?? this.#guess(letter));
    return names.length === 1 ? emphasize(names[0]!) : stressLetters(names).join('');
  }

  /** What espeak makes of a word nobody knows. */
  #guess(word: string): string {
    const foreign = voiceOfScript(word);
    if (foreign !== undefined && this.#espeak.hasVoice(foreign)) {
      return this.#say(word, foreign, KOKORO_OTHER);
    }
    // In lower case, or espeak might spell it; a possessive is added here, where the accent is known.
    const lower = word.toLowerCase();
    const possessive = /^(.+)'s$/.exec(lower);
    const sound = this.#say(possessive?.[1] ?? lower, this.#accent.espeakVoice, this.#notation);
    return possessive === null || sound === '' ? sound : withS(sound, this.#accent);
  }

  #say(word: string, voice: string, notation: EspeakNotation): string {
    const groups = this.#espeak.phonemes(word, voice);
    return groups
      .map((group) => notation.write(group))
      .join(' ')
      .trim();
  }
}

/** The words whose sound depends on what comes next, as Kokoro was taught them. */
function smallWord(word: string, following: Following): string | undefined {
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

function startOf(phonemes: string): Following | undefined {
  for (const symbol of phonemes) {
    if (symbol === 'ˈ' || symbol === 'ˌ') continue;
    return VOWELS.includes(symbol) ? 'vowel' : 'consonant';
  }
  return undefined;
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o').replaceAll('ß', 'ss');
}

/** A capital gives a small word some stress; all capitals give it the full one. */
function stressByCase(phonemes: string, word: string): string {
  if (word === word.toLowerCase()) return phonemes;
  return word === word.toUpperCase() && word.length > 1 ? emphasize(phonemes) : lift(phonemes);
}

/** Of the parts of a compound, at most the weightier half keep their primary stress. */
function balance(parts: readonly string[], sounds: readonly string[]): string[] {
  const result = [...sounds];
  const spoken = sounds
    .map((sound, index) => ({
      index,
      weight: stressWeight(sound) + (hasPrimaryStress(sound) ? 1000 : 0),
      sound,
    }))
    .filter(({ sound }) => sound !== '');
  if (spoken.length === 2 && parts[spoken[0]!.index]!.length === 1) {
    result[spoken[1]!.index] = demote(spoken[1]!.sound);
    return result;
  }
  const stressed = spoken.filter(({ sound }) => hasPrimaryStress(sound)).length;
  if (spoken.length < 2 || stressed <= Math.floor((spoken.length + 1) / 2)) return result;
  spoken.sort((a, b) => a.weight - b.weight || a.index - b.index);
  for (const { index, sound } of spoken.slice(0, Math.floor(spoken.length / 2)))
    result[index] = demote(sound);
  return result;
}

const continuesAcronym = (word: SpokenWord, previous: SpokenWord | undefined) =>
  word.spell === true &&
  previous?.spell === true &&
  previous.after === '' &&
  word.before === '' &&
  previous.start === word.start &&
  previous.end === word.end;

/** Letters of one written abbreviation are stressed as one word. */
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
    const sound = phonemes[index]!;
    const before = kokoroPunctuation(word.before);
    const after = kokoroPunctuation(word.after);
    const isNewWord = !continuesAcronym(word, words[index - 1]);
    if (symbols !== '' && isNewWord && before + sound !== '' && !symbols.endsWith(' ')) symbols += ' ';
    symbols += before;
    wordSpans.push({ start: symbols.length, end: symbols.length + sound.length });
    symbols += sound + after;
  }
  return { symbols, wordSpans };
}
