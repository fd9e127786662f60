import type { Latency } from './speech-service.ts';

/** Maximum length of a piece. Bounds the duration of one engine step, and so the delay of an abort. */
const PIECE_CHARS_MAX = 150;
/** Target length of the first piece. A shorter one lowers the latency, a longer one improves the intonation. */
const FIRST_PIECE_CHARS: Readonly<Record<Latency, number>> = { normal: 60, balanced: 50, low: 35 };

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
