import type { CueStyle } from '../markup/cues.ts';
import { createCjkReader } from '../normalise/cjk-reader.ts';
import { createEnglishReader } from '../normalise/english/english-reader.ts';
import { createWorldReader } from '../normalise/multilingual-reader.ts';
import {
  CHINESE_WORDS,
  ENGLISH_WORDS,
  FRENCH_WORDS,
  HINDI_WORDS,
  ITALIAN_WORDS,
  JAPANESE_WORDS,
  PORTUGUESE_WORDS,
  SPANISH_WORDS,
  UNKNOWN_WORDS,
  type WorldWords,
  withoutNormalization,
} from '../normalise/multilingual-words.ts';
import { numbersAsWritten } from '../normalise/numbers/as-written.ts';
import { americanNumbers, britishNumbers } from '../normalise/numbers/en.ts';
import { spanishNumbers } from '../normalise/numbers/es.ts';
import { frenchNumbers } from '../normalise/numbers/fr.ts';
import { hindiNumbers } from '../normalise/numbers/hi.ts';
import { italianNumbers } from '../normalise/numbers/it.ts';
import { japaneseNumbers } from '../normalise/numbers/ja.ts';
import type { NumberSpeaker } from '../normalise/numbers/number-speaker.ts';
import { portugueseNumbers } from '../normalise/numbers/pt.ts';
import { chineseNumbers } from '../normalise/numbers/zh.ts';
import type { Rule } from '../normalise/reading.ts';
import type { Pronunciations } from '../normalise/settled.ts';
import type { Boundary, Language, Piece } from '../piece.ts';
import type { Phrase } from '../pieces/phrase-builder.ts';
import { PHRASE_JOINTS } from '../pieces/phrase-joints.ts';
import { textPhrases } from '../pieces/phrases.ts';
import { splitPieces } from '../pieces/piece-splitter.ts';
import { isSsml, type SsmlLimits } from '../ssml/ssml-events.ts';
import { ssmlPhrases } from '../ssml/ssml-phrases.ts';

/** How a text is to be read. */
export interface ReadTextOptions {
  readonly language: Language;
  /** Whether numbers, dates, abbreviations and signs are spelled out; otherwise figures are read plainly and signs dropped. */
  readonly normalize: boolean;
  /** Longest piece, in characters of the text. */
  readonly chunkLength: number;
  /** Sentences shorter than this are joined with the next. */
  readonly minChunkLength: number;
  readonly cueStyle: CueStyle;
  /** Words that are to sound otherwise than they are written. */
  readonly pronunciations?: Pronunciations | undefined;
  /** Reads a text that is one `<speak>` element as SSML; without it such a text is read like any other. */
  readonly ssml?: SsmlReading | undefined;
  /** What the first piece aims at, in characters; `Infinity` makes it like the others. */
  readonly firstPieceLength?: number;
  /** What ends the text: anything but `end` when more will be spoken after it. */
  readonly ends?: Boundary;
}

/** What reading SSML needs beyond the text. */
export interface SsmlReading {
  readonly limits: SsmlLimits;
  /** The language of a voice that the text names; unknown voices speak the language of the request. */
  readonly languageOfVoice?: (voice: string) => Language | undefined;
}

const FIRST_PIECE_LENGTH = 60;

interface LanguageParts {
  readonly numbers: NumberSpeaker;
  readonly words: WorldWords;
}

const LANGUAGE_PARTS: Readonly<Record<Language, LanguageParts>> = {
  'en-US': { numbers: americanNumbers, words: ENGLISH_WORDS },
  'en-GB': { numbers: britishNumbers, words: ENGLISH_WORDS },
  es: { numbers: spanishNumbers, words: SPANISH_WORDS },
  fr: { numbers: frenchNumbers, words: FRENCH_WORDS },
  it: { numbers: italianNumbers, words: ITALIAN_WORDS },
  'pt-BR': { numbers: portugueseNumbers, words: PORTUGUESE_WORDS },
  hi: { numbers: hindiNumbers, words: HINDI_WORDS },
  ja: { numbers: japaneseNumbers, words: JAPANESE_WORDS },
  zh: { numbers: chineseNumbers, words: CHINESE_WORDS },
  und: { numbers: numbersAsWritten, words: UNKNOWN_WORDS },
};

/**
 * Turns a text into pieces to be spoken, lazily: each piece is made when it is asked for, in time and
 * memory that do not depend on the length of the text. Never throws, whatever the text holds, except an
 * `SsmlError` for an SSML text that was not checked before (`surveySsml`).
 *
 * A text without a word to say gives no piece; one of cues alone gives one piece without words.
 */
export function* readText(text: string, options: ReadTextOptions): Generator<Piece> {
  const { chunkLength, minChunkLength } = options;
  const phrases =
    options.ssml && isSsml(text) ? readMarkedUp(text, options, options.ssml) : readPlain(text, options);
  const firstPieceLength = options.firstPieceLength ?? FIRST_PIECE_LENGTH;
  const ends = options.ends ?? 'end';
  yield* splitPieces(phrases, { chunkLength, minChunkLength, firstPieceLength, ends });
}

function readPlain(text: string, options: ReadTextOptions): Iterator<Phrase> {
  const { language, normalize, cueStyle, pronunciations } = options;
  const read = readerOf(language, normalize);
  return textPhrases(text, { language, pronunciations, read, cueStyle, joints: PHRASE_JOINTS[language] });
}

function readMarkedUp(text: string, options: ReadTextOptions, ssml: SsmlReading): Iterator<Phrase> {
  const { language, normalize, cueStyle, pronunciations } = options;
  return ssmlPhrases(text, {
    language,
    cueStyle,
    pronunciations,
    ...ssml,
    toolsOf: (spoken) => ({
      read: readerOf(spoken, normalize),
      readInFull: readerOf(spoken, true),
      numbers: LANGUAGE_PARTS[spoken].numbers,
      joints: PHRASE_JOINTS[spoken],
    }),
  });
}

const readers = new Map<string, Rule>();

/** Readers compile patterns, so each is made once. */
function readerOf(language: Language, normalize: boolean): Rule {
  const key = `${language} ${normalize}`;
  const known = readers.get(key);
  if (known) return known;
  const reader = createReader(language, normalize);
  readers.set(key, reader);
  return reader;
}

function createReader(language: Language, normalize: boolean): Rule {
  const { numbers, words } = LANGUAGE_PARTS[language];
  if (normalize && (language === 'en-US' || language === 'en-GB'))
    return createEnglishReader(language === 'en-GB');
  const vocabulary = normalize ? words : withoutNormalization(words);
  return language === 'ja' || language === 'zh'
    ? createCjkReader(numbers, vocabulary)
    : createWorldReader(numbers, vocabulary);
}
