/**
 * The text of every token in UTF-8, in one buffer: tens of thousands of small arrays would slow down every garbage
 * collection.
 */
export class TokenBytes {
  readonly #bytes: Uint8Array;
  /** Start of each token, followed by the end of the last one. */
  readonly #starts: Uint32Array;

  /** Tokens by id; an undefined one has no text. */
  constructor(tokens: readonly (Uint8Array | undefined)[]) {
    this.#starts = new Uint32Array(tokens.length + 1);
    for (let id = 0; id < tokens.length; id++) {
      this.#starts[id + 1] = this.#starts[id]! + (tokens[id]?.length ?? 0);
    }
    this.#bytes = new Uint8Array(this.#starts[tokens.length]!);
    for (let id = 0; id < tokens.length; id++) this.#bytes.set(tokens[id] ?? [], this.#starts[id]!);
  }

  /** The bytes of a token; empty for an unknown one. */
  of(token: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[token] ?? 0, this.#starts[token + 1] ?? 0);
  }
}
