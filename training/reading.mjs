// What all training reads sentences with: the server's own reader and phonemes.        (after `npm run build`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPhonemizer } from '../server/dist/src/inference/phonemizer/create-phonemizer.js';
import { readText } from '../server/dist/src/text/front-end/text-to-pieces.js';

const READING = {
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'none',
  firstPieceLength: Infinity,
};

/** Phonemes of European languages. `models` is the server's model store. */
export function openPhonemizer(models) {
  return createPhonemizer({
    dataFolder: fileURLToPath(new URL('../server/assets/phonemes', import.meta.url)),
    lexiconPath: join(models, 'lexicon-en-us/en-us.txt'),
  });
}

/** The words of a text as the engines are given them. */
export function readWords(text, language) {
  return [...readText(text, { ...READING, language })].flatMap((piece) => piece.words);
}

/** The lines of standard input that are not empty. */
export function inputLines() {
  return readFileSync(0, 'utf8').split('\n').filter(Boolean);
}
