import type { Latency } from './speech-service.ts';

/** Longest piece an engine is given: one step of work must stay short enough to be left at once. */
const PIECE_CHARS_MAX = 150;
/** What the first piece aims at, in characters. Shorter is heard earlier, longer sounds more of a piece. */
const FIRST_PIECE_CHARS: Readonly<Record<Latency, number>> = { normal: 60, balanced: 50, low: 35 };

/** How a text is cut for the engines, from what a client asked for. */
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
