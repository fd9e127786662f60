/** Token ids of a Piper voice, with start, end and padding. */
export interface PiperTokens {
  readonly ids: readonly number[];
  /** Position of the symbol of each token, as a UTF-16 offset; -1 for start and end. */
  readonly symbolIndex: readonly number[];
}

/** Symbol to token ids; a symbol can have several tokens. */
export type PiperVocabulary = ReadonlyMap<string, readonly number[]>;

const PAD = '_';
const START = '^';
const END = '$';

/** Parses a `tokens.txt`: one `symbol id` per line, where the symbol may be a space. */
export function readPiperTokensFile(text: string): PiperVocabulary {
  const vocabulary = new Map<string, readonly number[]>();
  for (const line of text.split(/\r?\n/)) {
    const entry = /^(.+?) (\d+)$/u.exec(line);
    if (entry !== null) vocabulary.set(entry[1]!, [Number(entry[2])]);
  }
  return checked(vocabulary);
}

function checked(vocabulary: PiperVocabulary): PiperVocabulary {
  for (const symbol of [PAD, START, END]) {
    if (!vocabulary.has(symbol)) throw new Error(`The token table of the Piper voice lacks ${symbol}.`);
  }
  return vocabulary;
}

/** Piper's tokens: start, every known symbol followed by padding, end. */
export function piperTokens(symbols: string, vocabulary: PiperVocabulary): PiperTokens {
  const ids: number[] = [];
  const symbolIndex: number[] = [];
  const push = (symbol: string, index: number) => {
    for (const id of vocabulary.get(symbol) ?? []) {
      ids.push(id);
      symbolIndex.push(index);
    }
  };
  push(START, -1);
  push(PAD, -1);
  let index = 0;
  for (const symbol of symbols) {
    if (vocabulary.has(symbol)) {
      push(symbol, index);
      push(PAD, index);
    }
    index += symbol.length;
  }
  push(END, -1);
  return { ids, symbolIndex };
}
