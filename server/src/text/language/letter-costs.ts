import { DETECTED_LANGUAGES } from './function-words.ts';
import { NGRAM_COSTS } from './ngram-costs.ts';

const LANGUAGES = DETECTED_LANGUAGES.length;
const SPACE = 0x20;
/** All letters of the n-grams are below 2^9 - 1, which stands for any other letter. */
const UNIT_BITS = 9;
const OTHER_UNIT = 2 ** UNIT_BITS - 1;
const TRIGRAM_MASK = 2 ** (3 * UNIT_BITS) - 1;
/** Letters of the short words that are n-grams as a whole. */
const WORD_LETTERS_MIN = 2;
const WORD_LETTERS_MAX = 4;
const LETTERS = /[\p{L}\p{M}]+/gu;

/** Rows of `COSTS`: by the code of a trigram, which saves a string per letter of a text, and by a short word. */
const TRIGRAM_ROWS = new Map<number, number>();
const WORD_ROWS = new Map<string, number>();
const COSTS = readCosts();

function readCosts(): Uint8Array {
  const lines = NGRAM_COSTS.split('\n');
  const costs = new Uint8Array(lines.length * LANGUAGES);
  for (const [row, line] of lines.entries()) {
    const ngram = line.slice(0, -LANGUAGES);
    if (ngram.length === 3) TRIGRAM_ROWS.set(trigramCode(ngram), row);
    else WORD_ROWS.set(ngram.slice(1, -1), row);
    for (let index = 0; index < LANGUAGES; index++)
      costs[row * LANGUAGES + index] = Number(line[ngram.length + index]);
  }
  return costs;
}

function trigramCode(trigram: string): number {
  let code = 0;
  for (let at = 0; at < trigram.length; at++) code = append(code, trigram.charCodeAt(at));
  return code;
}

function append(code: number, unit: number): number {
  return ((code << UNIT_BITS) | Math.min(unit, OTHER_UNIT)) & TRIGRAM_MASK;
}

/** Adds the costs of the letters of a word to those of each of `DETECTED_LANGUAGES`: its trigrams with its boundaries, and a short word as a whole. */
export function addLetterCosts(costs: number[], word: string): void {
  if (!word.includes("'")) addCostsOf(costs, word);
  else for (const letters of word.match(LETTERS) ?? []) addCostsOf(costs, letters);
}

function addCostsOf(costs: number[], letters: string): void {
  let code = SPACE;
  for (let at = 0; at <= letters.length; at++) {
    code = append(code, at === letters.length ? SPACE : letters.charCodeAt(at));
    if (at > 0) addRow(costs, TRIGRAM_ROWS.get(code));
  }
  if (letters.length >= WORD_LETTERS_MIN && letters.length <= WORD_LETTERS_MAX)
    addRow(costs, WORD_ROWS.get(letters));
}

function addRow(costs: number[], row: number | undefined): void {
  if (row === undefined) return;
  const first = row * LANGUAGES;
  for (let index = 0; index < LANGUAGES; index++) costs[index]! += COSTS[first + index]!;
}
