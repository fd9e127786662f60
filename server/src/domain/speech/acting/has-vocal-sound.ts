import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { actPieces } from './cue-scope.ts';

const TEXT_OPTIONS = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  chunkLength: 300,
  minChunkLength: 50,
} as const;

/** Whether a text contains a vocal sound cue: `(laughing)` is one, `(happy)` is not. */
export function hasVocalSound(text: string): boolean {
  for (const { acting } of actPieces(textToPieces(text, TEXT_OPTIONS))) {
    if (acting?.utterance.insertions?.some(({ content }) => content.kind === 'sound')) return true;
  }
  return false;
}
