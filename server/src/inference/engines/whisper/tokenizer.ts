import { readFile } from 'node:fs/promises';
import { TokenBytes } from '../seq2seq/token-bytes.ts';

/** GPT-2 pre-tokenization: words, numbers and symbols, each with the preceding space. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/** The files of a tokenizer: its vocabulary (JSON), and its merges (one pair a line, the first line a comment). */
export interface TokenizerFiles {
  readonly vocabulary: string;
  readonly merges: string;
}

/** Vocabulary and merge ranks for encoding. */
interface MergeTables {
  readonly ids: ReadonlyMap<string, number>;
  readonly ranks: ReadonlyMap<string, number>;
}

/** The byte-pair encoding of GPT-2 with the multilingual vocabulary. */
export class Tokenizer {
  readonly #files: TokenizerFiles;
  readonly #bytes: TokenBytes;
  /** Tens of megabytes, loaded when the first prompt is encoded. */
  #tables: MergeTables | undefined;

  constructor(files: TokenizerFiles) {
    const byteOf = new Map(byteLetters().map((letter, byte) => [letter, byte]));
    const tokens: Uint8Array[] = [];
    for (const [token, id] of readVocabulary(files)) {
      tokens[id] = Uint8Array.from(token, (letter) => byteOf.get(letter) ?? 0x3f);
    }
    this.#files = files;
    this.#bytes = new TokenBytes(tokens);
  }

  /** The text of a token in UTF-8; empty for a special token. */
  bytesOf(token: number): Uint8Array {
    return this.#bytes.of(token);
  }

  encode(text: string): number[] {
    return this.encodeEnd(text, Number.POSITIVE_INFINITY);
  }

  /** The last tokens of a text. Words before them are not encoded: the text comes from a client. */
  encodeEnd(text: string, tokensMax: number): number[] {
    const pieces = text.match(PIECES) ?? [];
    const encoded: number[][] = [];
    let count = 0;
    for (let index = pieces.length - 1; index >= 0 && count < tokensMax; index--) {
      const tokens = this.#encodePiece(pieces[index]!);
      encoded.push(tokens);
      count += tokens.length;
    }
    return encoded
      .reverse()
      .flat()
      .slice(Math.max(0, count - tokensMax));
  }

  #encodePiece(piece: string): number[] {
    this.#tables ??= readMergeTables(this.#files);
    const { ids, ranks } = this.#tables;
    const letters = byteLetters();
    const parts = merge(
      [...Buffer.from(piece, 'utf8')].map((byte) => letters[byte]!),
      ranks,
    );
    return parts.flatMap((part) => ids.get(part) ?? []);
  }
}

/** Merges adjacent pairs, lowest rank first, until none is left. */
function merge(letters: readonly string[], ranks: ReadonlyMap<string, number>): string[] {
  const parts = [...letters];
  const rankOf = (index: number) =>
    ranks.get(`${parts[index]} ${parts[index + 1]}`) ?? Number.POSITIVE_INFINITY;
  /** The rank of each part with the next one. A merge changes two of them. */
  const pairs = letters.slice(1).map((_, index) => rankOf(index));
  for (;;) {
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let index = 0; index < pairs.length; index++) {
      if (pairs[index]! < bestRank) [best, bestRank] = [index, pairs[index]!];
    }
    if (best < 0) return parts;
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
    pairs.splice(best, 1);
    if (best > 0) pairs[best - 1] = rankOf(best - 1);
    if (best < pairs.length) pairs[best] = rankOf(best);
  }
}

function readVocabulary({ vocabulary }: TokenizerFiles): [string, number][] {
  return Object.entries(JSON.parse(vocabulary) as Record<string, number>);
}

function readMergeTables(files: TokenizerFiles): MergeTables {
  const [, ...merges] = files.merges.split('\n').filter((line) => line !== '');
  return {
    ids: new Map(readVocabulary(files)),
    ranks: new Map(merges.map((merge, rank) => [merge, rank])),
  };
}

/** Loads the tokenizer of a model from the paths of its files. */
export async function loadTokenizer(paths: TokenizerFiles): Promise<Tokenizer> {
  return new Tokenizer({
    vocabulary: await readFile(paths.vocabulary, 'utf8'),
    merges: await readFile(paths.merges, 'utf8'),
  });
}

/** The character of each byte in the vocabulary: printable characters as themselves, others from U+0100. */
function byteLetters(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
}
