import type { Language } from '../../text/piece.ts';
import type { LengthRange } from '../../text/pieces/piece-splitter.ts';
import { canDecodeOpenings } from './engine-selector.ts';
import type { Latency } from './speech-service.ts';

/** Maximum length of a piece. Bounds the duration of one engine step, and so the delay of an abort. */
const PIECE_CHARS_MAX = 150;
/** Target length of the first piece. A shorter one lowers the latency, a longer one improves the intonation. */
const FIRST_PIECE_CHARS: Readonly<Record<Latency, number>> = { normal: 60, balanced: 50, low: 35 };

/**
 * Lengths of a first sentence that is one piece. In a shorter one an engine finds no opening; the maximum bounds the time
 * in which an engine reads it.
 */
const FIRST_SENTENCE_CHARS: LengthRange = { min: 65, max: 200 };
/** Their phonemes have no spaces, so that an engine finds no opening. */
const LANGUAGES_WITHOUT_SPACES: ReadonlySet<Language> = new Set(['ja', 'zh']);

/**
 * Lengths of a first sentence that is one piece, whose first words the engine decodes before it has read the rest;
 * undefined if the engine cannot.
 */
export function chooseFirstSentenceLengths(
  { engine, language }: { readonly engine: string; readonly language: Language },
  { chunkLength, firstPieceLength }: { readonly chunkLength: number; readonly firstPieceLength?: number },
): LengthRange | undefined {
  const isFirst = firstPieceLength !== undefined && Number.isFinite(firstPieceLength);
  const canDecodeOpening = canDecodeOpenings(engine) && !LANGUAGES_WITHOUT_SPACES.has(language);
  // A request may ask for shorter pieces.
  const max = chunkLength < PIECE_CHARS_MAX ? chunkLength : FIRST_SENTENCE_CHARS.max;
  return isFirst && canDecodeOpening ? { ...FIRST_SENTENCE_CHARS, max } : undefined;
}

/** Chooses the piece lengths of a request. */
export function choosePieceLengths(request: {
  readonly chunkLength: number;
  readonly minChunkLength: number;
  readonly latency: Latency;
}): { chunkLength: number; minChunkLength: number; firstPieceLength: number } {
  return {
    chunkLength: Math.min(request.chunkLength, PIECE_CHARS_MAX),
    minChunkLength: request.minChunkLength,
    firstPieceLength: FIRST_PIECE_CHARS[request.latency],
  };
}
