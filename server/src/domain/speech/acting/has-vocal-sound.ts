import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { actPieces } from './cue-scope.ts';

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  chunkLength: 300,
  minChunkLength: 50,
} as const;

/** Whether a text makes a sound though it has no word: `(laughing)` does, `(happy)` does not. */
export function hasVocalSound(text: string): boolean {
  for (const { acting } of actPieces(textToPieces(text, READING))) {
    if (acting?.utterance.insertions?.some(({ content }) => content.kind === 'sound')) return true;
  }
  return false;
}
