// Converts sentences on standard input to token ids of the VITS engine, one JSON array per line:
//   python sentences.py | node token-ids.mjs MODELS_FOLDER > token-ids.jsonl        (after `npm run build`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  piperTokens,
  readPiperTokensFile,
} from '../../server/dist/src/inference/phonemizer/tokens/piper-tokens.js';
import { openPhonemizer, readInputLines, textToWords } from '../text-front-end.mjs';

const models = process.argv[2];
const phonemizer = await openPhonemizer(models);
const vocabulary = readPiperTokensFile(
  readFileSync(join(models, 'piper-libritts-r-medium/tokens.txt'), 'utf8'),
);
for (const line of readInputLines()) {
  const { symbols } = phonemizer.espeakIpa(textToWords(line, 'en-US'), 'en-us');
  console.log(JSON.stringify(piperTokens(symbols, vocabulary).ids));
}
