// Converts `language<TAB>sentence` lines on standard input to Kokoro's token ids, one JSON object per line:
//   python texts.py | node token-ids.mjs MODELS_FOLDER > tokens.jsonl        (after `npm run build`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChinesePhonemizer } from '../../server/dist/src/inference/phonemizer/chinese/chinese-phonemizer.js';
import { loadJapaneseDictionary } from '../../server/dist/src/inference/phonemizer/japanese/japanese-dictionary.js';
import { createJapanesePhonemizer } from '../../server/dist/src/inference/phonemizer/japanese/japanese-phonemizer.js';
import {
  kokoroTokens,
  readKokoroTokenTable,
} from '../../server/dist/src/inference/phonemizer/tokens/kokoro-tokens.js';
import { openPhonemizer, readInputLines, textToWords } from '../text-front-end.mjs';

const models = process.argv[2];
const phonemizer = await openPhonemizer(models);
phonemizer.install('zh', createChinesePhonemizer());
phonemizer.install(
  'ja',
  createJapanesePhonemizer(await loadJapaneseDictionary(join(models, 'dictionary-ja'))),
);
const table = readKokoroTokenTable(readFileSync(join(models, 'kokoro-82m-q8/tokenizer.json'), 'utf8'));
for (const line of readInputLines()) {
  const [language, text] = line.split('\t');
  const { ids } = kokoroTokens(phonemizer.kokoro(textToWords(text, language), language).symbols, table);
  console.log(JSON.stringify({ language, text, ids }));
}
