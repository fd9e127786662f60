// Sentences on standard input to the token ids of the VITS engine, one JSON array per line:
//   python sentences.py | node token-ids.mjs MODELS_FOLDER > token-ids.jsonl        (after `npx tsc -b`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPhonemizer } from '../../server/dist/src/engines/phonemes/create-phonemizer.js';
import { piperTokens, readPiperTokensFile } from '../../server/dist/src/engines/phonemes/piper-tokens.js';
import { readText } from '../../server/dist/src/text/read-text.js';

const READING = {
  language: 'en-US',
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'none',
  firstPieceLength: Infinity,
};
const models = process.argv[2];
const phonemizer = await createPhonemizer({
  dataFolder: fileURLToPath(new URL('../../server/assets/phonemes', import.meta.url)),
  lexiconPath: join(models, 'lexicon-en-us/en-us.txt'),
});
const vocabulary = readPiperTokensFile(
  readFileSync(join(models, 'piper-libritts-r-medium/tokens.txt'), 'utf8'),
);
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const words = [...readText(line, READING)].flatMap((piece) => piece.words);
  console.log(JSON.stringify(piperTokens(phonemizer.espeakIpa(words, 'en-us').symbols, vocabulary).ids));
}
