// American English sentences on standard input to token ids of both engines, one JSON object per line:
//   node paired-ids.mjs MODELS_FOLDER < sentences.txt > paired.jsonl        (after `npm run build`)
// `kokoro` are Kokoro's ids without padding, `piper` the ids of the VITS voice, and `owner` gives for each of the
// latter the index into the padded Kokoro ids. Both engines say the same phonemes: Piper's are derived from Kokoro's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  kokoroTokens,
  readKokoroTokenTable,
} from '../../server/dist/src/inference/phonemizer/tokens/kokoro-tokens.js';
import { readPiperTokensFile } from '../../server/dist/src/inference/phonemizer/tokens/piper-tokens.js';
import { openPhonemizer, readInputLines, textToWords } from '../text-front-end.mjs';

/** Kokoro's symbols for American English that espeak-ng writes differently. */
const PIPER_SYMBOLS = {
  A: 'eɪ',
  I: 'aɪ',
  O: 'oʊ',
  W: 'aʊ',
  Y: 'ɔɪ',
  Q: 'əʊ',
  T: 'ɾ',
  ʤ: 'dʒ',
  ʧ: 'tʃ',
  ᵊ: 'ə',
  ɑ: 'ɑː',
  ɔ: 'ɔː',
  u: 'uː',
  '—': ',',
  '…': '.',
};
const VOWELS = /[aeiouæɑɐɒɔəɚɛɜɪʊʌAIOQWYᵊᵻ]/u;

/** Piper's symbols for each of Kokoro's. An empty string means the symbol is part of the one before. */
function piperSymbols(symbols) {
  return symbols.map((symbol, at) => {
    const before = symbols[at - 1];
    if (symbol === 'ɹ' && before === 'ɜ') return 'ː';
    if (symbol === 'ɹ' && before === 'ə' && !VOWELS.test(symbols[at + 1] ?? '')) return '';
    if (symbol === 'ə' && symbols[at + 1] === 'ɹ' && !VOWELS.test(symbols[at + 2] ?? '')) return 'ɚ';
    // The vowel of "see" is long where it is stressed.
    if (symbol === 'i')
      return symbols.slice(Math.max(0, at - 3), at).some((other) => 'ˈˌ'.includes(other)) ? 'iː' : 'i';
    return PIPER_SYMBOLS[symbol] ?? symbol;
  });
}

const models = process.argv[2];
const phonemizer = await openPhonemizer(models);
const table = readKokoroTokenTable(readFileSync(join(models, 'kokoro-82m-q8/tokenizer.json'), 'utf8'));
const vocabulary = readPiperTokensFile(
  readFileSync(join(models, 'piper-libritts-r-medium/tokens.txt'), 'utf8'),
);
const id = (symbol) => vocabulary.get(symbol)?.[0];
for (const text of readInputLines()) {
  const written = [...phonemizer.kokoro(textToWords(text, 'en-US'), 'en-US').symbols].filter((symbol) =>
    table.has(symbol),
  );
  const { ids } = kokoroTokens(written.join(''), table);
  const piper = [id('^'), id('_')];
  const owner = [0, 0];
  for (const [at, spelling] of piperSymbols(written).entries()) {
    for (const symbol of spelling) {
      if (id(symbol) === undefined) continue;
      piper.push(id(symbol), id('_'));
      owner.push(at + 1, at + 1);
    }
    if (spelling === '') owner[owner.length - 1] = at + 1;
  }
  piper.push(id('$'));
  owner.push(written.length + 1);
  console.log(JSON.stringify({ text, kokoro: ids, piper, owner }));
}
