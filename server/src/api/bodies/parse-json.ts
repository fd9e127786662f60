import { createMalformedBodyError, createTooManyValuesError, DEPTH_MAX, VALUES_MAX } from './value-limits.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [...'"\\,:'].map(codeOf) as [number, number, number, number];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [...'[]{}'].map(codeOf) as [
  number,
  number,
  number,
  number,
];
const [ZERO, NINE] = [...'09'].map(codeOf) as [number, number];
/** The key of the bytes in Node's JSON representation of a `Buffer`. */
const DATA_KEY = '"data"';
const KEY_SEARCH_BYTES = 64;

/** The number of values that a body may still contain. */
export interface ValueBudget {
  valuesLeft: number;
}

/** Parses JSON of limited depth and number of values. Throws `invalid_body` or `body_too_large`. */
export function parseJson(json: Buffer, budget: ValueBudget = { valuesLeft: VALUES_MAX }): unknown {
  checkShape(json, budget);
  try {
    return JSON.parse(json.toString('utf8'));
  } catch (cause) {
    throw createMalformedBodyError('JSON', cause);
  }
}

/** Counts depth and values. Strings and lists of bytes are skipped quickly, so that files cost little. */
function checkShape(json: Buffer, budget: ValueBudget): void {
  let [depth, values] = [0, 1];
  for (let at = 0; at < json.length; at++) {
    const code = json[at]!;
    if (code === QUOTE) at = endOfString(json, at + 1);
    else if (code === OPEN_LIST || code === OPEN_MAP) {
      values++;
      if (++depth > DEPTH_MAX) throw createMalformedBodyError('JSON');
      if (code === OPEN_LIST && isBufferData(json, at)) at = endOfNumbers(json, at + 1) - 1;
    } else if (code === CLOSE_LIST || code === CLOSE_MAP) depth--;
    else if (code === COMMA || code === COLON) values++;
    if (values > budget.valuesLeft) throw createTooManyValuesError();
  }
  budget.valuesLeft -= values;
}

/** The index of the closing quote of the string whose content starts at `from`. */
function endOfString(json: Buffer, from: number): number {
  for (let end = json.indexOf(QUOTE, from); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (end - 1 - escapes >= from && json[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

/** Whether the list that opens at `at` is the value of the key `data`. */
function isBufferData(json: Buffer, at: number): boolean {
  const before = json.toString('latin1', Math.max(0, at - KEY_SEARCH_BYTES), at).trimEnd();
  return before.endsWith(':') && before.slice(0, -1).trimEnd().endsWith(DATA_KEY);
}

/** The index after the digits, commas and spaces that start at `from`. */
function endOfNumbers(json: Buffer, from: number): number {
  let at = from;
  for (; at < json.length; at++) {
    const code = json[at]!;
    const isNumber = (code >= ZERO && code <= NINE) || code === COMMA || code <= 0x20;
    if (!isNumber) break;
  }
  return at;
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

/** Parses a text as JSON; a text that is not JSON is the value. */
export function parseJsonOrText(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch {
    return text;
  }
}
