// Text front end and phonemizer of the server, for the training scripts.        (after `npm run build`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPhonemizer } from '../server/dist/src/inference/phonemizer/create-phonemizer.js';
import { textToPieces } from '../server/dist/src/text/front-end/text-to-pieces.js';

const TEXT_OPTIONS = {
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'none',
  firstPieceLength: Infinity,
};

/** The phonemizer of the European languages. `models` is the server's model store. */
export function openPhonemizer(models) {
  return createPhonemizer({
    dataFolder: fileURLToPath(new URL('../server/assets/phonemes', import.meta.url)),
    lexiconPath: join(models, 'lexicon-en-us/en-us.txt'),
  });
}

/** The words of a text as input of an engine. */
export function textToWords(text, language) {
  return [...textToPieces(text, { ...TEXT_OPTIONS, language })].flatMap((piece) => piece.words);
}

/** The non-empty lines of standard input. */
export function readInputLines() {
  return readFileSync(0, 'utf8').split('\n').filter(Boolean);
}
