import type { CueStyle } from '../markup/cues.ts';
import { createEnglishVerbalizer } from '../normalise/english/english-verbalizer.ts';
import type { DictionaryMatcher } from '../normalise/fixed-spans.ts';
import { createCjkVerbalizer } from '../normalise/multilingual/cjk-verbalizer.ts';
import {
  CHINESE_LEXICON,
  ENGLISH_LEXICON,
  FRENCH_LEXICON,
  HINDI_LEXICON,
  ITALIAN_LEXICON,
  JAPANESE_LEXICON,
  PORTUGUESE_LEXICON,
  SPANISH_LEXICON,
  UNDETERMINED_LEXICON,
  type VerbalizerLexicon,
  withoutNormalization,
} from '../normalise/multilingual/lexicons.ts';
import { createMultilingualVerbalizer } from '../normalise/multilingual/multilingual-verbalizer.ts';
import { americanNumbers, britishNumbers } from '../normalise/numbers/en.ts';
import { spanishNumbers } from '../normalise/numbers/es.ts';
import { frenchNumbers } from '../normalise/numbers/fr.ts';
import { hindiNumbers } from '../normalise/numbers/hi.ts';
import { italianNumbers } from '../normalise/numbers/it.ts';
import { japaneseNumbers } from '../normalise/numbers/ja.ts';
import type { NumberVerbalizer } from '../normalise/numbers/number-verbalizer.ts';
import { portugueseNumbers } from '../normalise/numbers/pt.ts';
import { verbatimNumbers } from '../normalise/numbers/verbatim-numbers.ts';
import { chineseNumbers } from '../normalise/numbers/zh.ts';
import type { VerbalizationRule } from '../normalise/verbalization.ts';
import type { Boundary, Language, Piece } from '../piece.ts';
import { buildPhrases } from '../pieces/build-phrases.ts';
import { PHRASE_BREAK_WORDS } from '../pieces/phrase-break-words.ts';
import type { Phrase } from '../pieces/phrase-builder.ts';
import { type LengthRange, splitPieces } from '../pieces/piece-splitter.ts';
import { buildSsmlPhrases } from '../ssml/build-ssml-phrases.ts';
import { isSsml, type SsmlLimits } from '../ssml/ssml-events.ts';

/** Options of the text front end. */
export interface TextToPiecesOptions {
  readonly language: Language;
  /** Whether non-standard words are verbalized. Otherwise digits are verbalized as plain numbers, symbols are dropped. */
  readonly normalize: boolean;
  /** Maximum length of a piece, in characters of the text. */
  readonly chunkLength: number;
  /** Shorter sentences are merged with the next one. */
  readonly minChunkLength: number;
  readonly cueStyle: CueStyle;
  /** Pronunciation dictionaries. */
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Enables SSML for texts that consist of one `<speak>` element. */
  readonly ssml?: SsmlOptions | undefined;
  /** Target length of the first piece, in characters; `Infinity`: like the other pieces. */
  readonly firstPieceLength?: number;
  /** A plain first sentence of such a length is one piece. Default: `firstPieceLength` applies to it. */
  readonly firstSentenceLengths?: LengthRange | undefined;
  /** Boundary of the last piece; default: `end`. */
  readonly finalBoundary?: Boundary;
}

export interface SsmlOptions {
  readonly limits: SsmlLimits;
  /** The language of a voice that the text names; undefined: the language of the request. */
  readonly languageOfVoice?: (voice: string) => Language | undefined;
}

const FIRST_PIECE_LENGTH = 60;

interface LanguageData {
  readonly numbers: NumberVerbalizer;
  readonly words: VerbalizerLexicon;
}

const LANGUAGE_DATA: Readonly<Record<Language, LanguageData>> = {
  'en-US': { numbers: americanNumbers, words: ENGLISH_LEXICON },
  'en-GB': { numbers: britishNumbers, words: ENGLISH_LEXICON },
  es: { numbers: spanishNumbers, words: SPANISH_LEXICON },
  fr: { numbers: frenchNumbers, words: FRENCH_LEXICON },
  it: { numbers: italianNumbers, words: ITALIAN_LEXICON },
  'pt-BR': { numbers: portugueseNumbers, words: PORTUGUESE_LEXICON },
  hi: { numbers: hindiNumbers, words: HINDI_LEXICON },
  ja: { numbers: japaneseNumbers, words: JAPANESE_LEXICON },
  zh: { numbers: chineseNumbers, words: CHINESE_LEXICON },
  und: { numbers: verbatimNumbers, words: UNDETERMINED_LEXICON },
};

/**
 * The text front end: tokenization, verbalization and segmentation of a text into pieces. Lazy: time and memory per
 * piece do not depend on the length of the text. Accepts any text; throws an `SsmlError` for invalid SSML, which
 * `inspectSsml` detects beforehand. A text without words gives no piece; a text of cues only gives one piece
 * without words.
 */
export function* textToPieces(text: string, options: TextToPiecesOptions): Generator<Piece> {
  for (const piece of textToPiecesInSteps(text, options)) if (piece !== undefined) yield piece;
}

/**
 * `textToPieces` for a process that must not block. Undefined marks the end of a step of at most a few thousand
 * characters: a text may have any length without a piece in it.
 */
export function* textToPiecesInSteps(
  text: string,
  options: TextToPiecesOptions,
): Generator<Piece | undefined> {
  const { chunkLength, minChunkLength, firstSentenceLengths } = options;
  const phrases =
    options.ssml && isSsml(text) ? phrasesOfSsml(text, options, options.ssml) : phrasesOfText(text, options);
  const firstPieceLength = options.firstPieceLength ?? FIRST_PIECE_LENGTH;
  const finalBoundary = options.finalBoundary ?? 'end';
  const lengths = { chunkLength, minChunkLength, firstPieceLength, firstSentenceLengths, finalBoundary };
  yield* splitPieces(phrases, lengths);
}

function phrasesOfText(text: string, options: TextToPiecesOptions): Iterator<Phrase | undefined> {
  const { language, normalize, cueStyle, pronunciations } = options;
  const verbalize = verbalizerFor(language, normalize);
  return buildPhrases(text, {
    language,
    pronunciations,
    verbalize,
    cueStyle,
    breakWords: PHRASE_BREAK_WORDS[language],
  });
}

function phrasesOfSsml(
  text: string,
  options: TextToPiecesOptions,
  ssml: SsmlOptions,
): Iterator<Phrase | undefined> {
  const { language, normalize, cueStyle, pronunciations } = options;
  return buildSsmlPhrases(text, {
    language,
    cueStyle,
    pronunciations,
    ...ssml,
    resourcesFor: (spoken) => ({
      verbalize: verbalizerFor(spoken, normalize),
      verbalizeFully: verbalizerFor(spoken, true),
      numbers: LANGUAGE_DATA[spoken].numbers,
      breakWords: PHRASE_BREAK_WORDS[spoken],
    }),
  });
}

const verbalizers = new Map<string, VerbalizationRule>();

/** Verbalizers compile regular expressions, so they are cached. */
function verbalizerFor(language: Language, normalize: boolean): VerbalizationRule {
  const key = `${language} ${normalize}`;
  const known = verbalizers.get(key);
  if (known) return known;
  const verbalizer = createVerbalizer(language, normalize);
  verbalizers.set(key, verbalizer);
  return verbalizer;
}

function createVerbalizer(language: Language, normalize: boolean): VerbalizationRule {
  const { numbers, words } = LANGUAGE_DATA[language];
  if (normalize && (language === 'en-US' || language === 'en-GB'))
    return createEnglishVerbalizer(language === 'en-GB');
  const vocabulary = normalize ? words : withoutNormalization(words);
  return language === 'ja' || language === 'zh'
    ? createCjkVerbalizer(numbers, vocabulary)
    : createMultilingualVerbalizer(numbers, vocabulary);
}
