import { readFile } from 'node:fs/promises';

/** Words, numbers and signs apart, each with the space before it. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** The byte pairs of GPT-2 in their multilingual version. */
export class Tokenizer {
  readonly #bytes: readonly Uint8Array[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #ranks: ReadonlyMap<string, number>;

  constructor(vocabulary: Readonly<Record<string, number>>, merges: readonly string[]) {
    const byteOf = new Map(byteLetters().map((letter, byte) => [letter, byte]));
    const bytes: Uint8Array[] = [];
    for (const [token, id] of Object.entries(vocabulary)) {
      bytes[id] = Uint8Array.from(token, (letter) => byteOf.get(letter) ?? 0x3f);
    }
    this.#bytes = bytes;
    this.#ids = new Map(Object.entries(vocabulary));
    this.#ranks = new Map(merges.map((merge, rank) => [merge, rank]));
  }

  /** The text of a token, in UTF-8; nothing for one that has none. */
  bytesOf(token: number): Uint8Array {
    return this.#bytes[token] ?? new Uint8Array();
  }

  encode(text: string): number[] {
    const letters = byteLetters();
    return [...text.matchAll(PIECES)].flatMap(([piece]) =>
      this.#merge([...Buffer.from(piece, 'utf8')].map((byte) => letters[byte]!)),
    );
  }

  #merge(parts: string[]): number[] {
    for (;;) {
      let best = -1;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let index = 0; index + 1 < parts.length; index++) {
        const rank = this.#ranks.get(`${parts[index]} ${parts[index + 1]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < bestRank) [best, bestRank] = [index, rank];
      }
      if (best < 0) return parts.flatMap((part) => this.#ids.get(part) ?? []);
      parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
    }
  }
}

/** Reads a vocabulary (JSON) and its merges (one pair a line, the first line a comment). */
export async function loadTokenizer(paths: {
  readonly vocabulary: string;
  readonly merges: string;
}): Promise<Tokenizer> {
  const vocabulary = JSON.parse(await readFile(paths.vocabulary, 'utf8')) as Record<string, number>;
  const merges = (await readFile(paths.merges, 'utf8')).split('\n').filter((line) => line !== '');
  return new Tokenizer(vocabulary, merges.slice(1));
}

/** How the vocabulary writes each byte: printable letters as themselves, others from U+0100 on. */
function byteLetters(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
}
