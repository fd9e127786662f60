/** Token ids of Kokoro, without the padding at both ends. */
export interface KokoroTokens {
  readonly ids: readonly number[];
  /** Position of the symbol of each token, as a UTF-16 offset. */
  readonly symbolIndex: readonly number[];
}

/** Parses Kokoro's `tokenizer.json`: symbol to token id. Throws when it has no table. */
export function readKokoroTokenTable(json: string): ReadonlyMap<string, number> {
  const file = JSON.parse(json) as { model?: { vocab?: unknown } };
  const entries = Object.entries(file.model?.vocab ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  if (entries.length === 0) throw new Error('The tokenizer file of Kokoro has no token table.');
  return new Map(entries);
}

/** One token per symbol of the table; other symbols are omitted. */
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
