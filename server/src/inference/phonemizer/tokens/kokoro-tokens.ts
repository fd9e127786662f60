/** Symbols as the numbers Kokoro takes, without the padding at both ends. */
export interface KokoroTokens {
  readonly ids: readonly number[];
  /** For each token where its symbol stands: a UTF-16 offset. */
  readonly symbolIndex: readonly number[];
}

/** Reads Kokoro's `tokenizer.json`: symbol to token number. Throws when it holds no table. */
export function readKokoroTokenTable(json: string): ReadonlyMap<string, number> {
  const file = JSON.parse(json) as { model?: { vocab?: unknown } };
  const entries = Object.entries(file.model?.vocab ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  if (entries.length === 0) throw new Error('The tokenizer file of Kokoro holds no token table.');
  return new Map(entries);
}

/** One token per symbol of the table; other symbols are left out. */
export function kokoroTokens(symbols: string, table: ReadonlyMap<string, number>): KokoroTokens {
  const ids: number[] = [];
  const symbolIndex: number[] = [];
  let index = 0;
  for (const symbol of symbols) {
    const id = table.get(symbol);
    if (id !== undefined) {
      ids.push(id);
      symbolIndex.push(index);
    }
    index += symbol.length;
  }
  return { ids, symbolIndex };
}
