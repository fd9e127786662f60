import { readText } from '../../../text/reading/read-text.ts';
import { performPieces } from './cue-scope.ts';

const READING = {
  language: 'en-US',
  normalize: true,
  cueStyle: 'both',
  chunkLength: 300,
  minChunkLength: 50,
} as const;

/** Whether a text makes a sound though it has no word: `(laughing)` does, `(happy)` does not. */
export function hasSound(text: string): boolean {
  for (const { performance } of performPieces(readText(text, READING))) {
    if (performance?.script.insertions?.some(({ content }) => content.kind === 'sound')) return true;
  }
  return false;
}
