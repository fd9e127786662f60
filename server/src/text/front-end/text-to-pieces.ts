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
import { splitPieces } from '../pieces/piece-splitter.ts';
import { buildSsmlPhrases } from '../ssml/build-ssml-phrases.ts';
import { isSsml, type SsmlLimits } from '../ssml/ssml-events.ts';

/** How a text is to be read. */
export interface TextToPiecesOptions {
  readonly language: Language;
  /** Whether numbers, dates, abbreviations and signs are spelled out; otherwise figures are read plainly and signs dropped. */
  readonly normalize: boolean;
  /** Longest piece, in characters of the text. */
  readonly chunkLength: number;
  /** Sentences shorter than this are joined with the next. */
  readonly minChunkLength: number;
  readonly cueStyle: CueStyle;
  /** Words that are to sound otherwise than they are written. */
  readonly pronunciations?: DictionaryMatcher | undefined;
  /** Reads a text that is one `<speak>` element as SSML; without it such a text is read like any other. */
  readonly ssml?: SsmlOptions | undefined;
  /** What the first piece aims at, in characters; `Infinity` makes it like the others. */
  readonly firstPieceLength?: number;
  /** What ends the text: anything but `end` when more will be spoken after it. */
  readonly finalBoundary?: Boundary;
}

/** What reading SSML needs beyond the text. */
export interface SsmlOptions {
  readonly limits: SsmlLimits;
  /** The language of a voice that the text names; unknown voices speak the language of the request. */
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
 * Turns a text into pieces to be spoken, lazily: each piece is made when it is asked for, in time and
 * memory that do not depend on the length of the text. Never throws, whatever the text holds, except an
 * `SsmlError` for an SSML text that was not checked before (`surveySsml`).
 *
 * A text without a word to say gives no piece; one of cues alone gives one piece without words.
 */
export function* textToPieces(text: string, options: TextToPiecesOptions): Generator<Piece> {
  const { chunkLength, minChunkLength } = options;
  const phrases =
    options.ssml && isSsml(text) ? phrasesOfSsml(text, options, options.ssml) : phrasesOfText(text, options);
  const firstPieceLength = options.firstPieceLength ?? FIRST_PIECE_LENGTH;
  const finalBoundary = options.finalBoundary ?? 'end';
  yield* splitPieces(phrases, { chunkLength, minChunkLength, firstPieceLength, finalBoundary });
}

function phrasesOfText(text: string, options: TextToPiecesOptions): Iterator<Phrase> {
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

function phrasesOfSsml(text: string, options: TextToPiecesOptions, ssml: SsmlOptions): Iterator<Phrase> {
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

/** Readers compile patterns, so each is made once. */
function verbalizerFor(language: Language, normalize: boolean): VerbalizationRule {
  const key = `${language} ${normalize}`;
  const known = verbalizers.get(key);
  if (known) return known;
  const reader = createVerbalizer(language, normalize);
  verbalizers.set(key, reader);
  return reader;
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
