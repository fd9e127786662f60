// Writes english-us.tsv.br and english-gb.tsv.br beside this file.
//   node make-dictionaries.mjs FOLDER
// FOLDER holds us_gold.json and gb_gold.json of misaki 0.9.4 (https://github.com/hexgrad/misaki, Apache-2.0),
// the dictionaries Kokoro's English training text was made with.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node make-dictionaries.mjs FOLDER');
  process.exit(2);
}

/** The default pronunciation, then `TAG=phonemes` for every part of speech that differs from it. */
function fields(entry) {
  if (typeof entry === 'string') return [entry];
  const variants = Object.entries(entry)
    .filter(([tag, phonemes]) => tag !== 'DEFAULT' && phonemes !== entry.DEFAULT)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, phonemes]) => `${tag}=${phonemes ?? ''}`);
  return [entry.DEFAULT, ...variants];
}

for (const accent of ['us', 'gb']) {
  const entries = Object.entries(JSON.parse(readFileSync(join(folder, `${accent}_gold.json`), 'utf8')));
  const lines = entries
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    // Version 1 of Kokoro writes the flap as T and has no glottal stop in English.
    .map(([word, entry]) => [word, ...fields(entry)].join('\t').replaceAll('ɾ', 'T').replaceAll('ʔ', 't'));
  const header = [
    `; English (${accent}) in Kokoro's phonemes, from ${accent}_gold.json of misaki 0.9.4 (https://github.com/hexgrad/misaki, Apache-2.0).`,
    '; word, pronunciation, and others by part of speech; sorted by bytes; flaps written T.',
  ];
  const text = Buffer.from([...header, ...lines, ''].join('\n'));
  const compressed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
  writeFileSync(new URL(`english-${accent}.tsv.br`, import.meta.url), compressed);
}
