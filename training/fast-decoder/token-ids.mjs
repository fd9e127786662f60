// Lines of `language<TAB>sentence` on standard input to Kokoro's token ids, one JSON object per line:
//   python texts.py | node token-ids.mjs MODELS_FOLDER > tokens.jsonl        (after `npx tsc -b`)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createChinesePhonemizer } from '../../server/dist/src/engines/phonemes/chinese.js';
import { createPhonemizer } from '../../server/dist/src/engines/phonemes/create-phonemizer.js';
import { createJapanesePhonemizer } from '../../server/dist/src/engines/phonemes/japanese.js';
import { loadJapaneseDictionary } from '../../server/dist/src/engines/phonemes/japanese-dictionary.js';
import { kokoroTokens, readKokoroTokenTable } from '../../server/dist/src/engines/phonemes/kokoro-tokens.js';
import { readText } from '../../server/dist/src/text/read-text.js';

const READING = {
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
phonemizer.install('zh', createChinesePhonemizer());
phonemizer.install(
  'ja',
  createJapanesePhonemizer(await loadJapaneseDictionary(join(models, 'dictionary-ja'))),
);
const table = readKokoroTokenTable(readFileSync(join(models, 'kokoro-82m-q8/tokenizer.json'), 'utf8'));
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [language, text] = line.split('\t');
  const words = [...readText(text, { ...READING, language })].flatMap((piece) => piece.words);
  const { ids } = kokoroTokens(phonemizer.kokoro(words, language).symbols, table);
  console.log(JSON.stringify({ language, text, ids }));
}
