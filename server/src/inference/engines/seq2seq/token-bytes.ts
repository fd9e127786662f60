/**
 * The text of every token, in UTF-8. It lies in one piece: tens of thousands of small arrays would be visited by
 * every garbage collection.
 */
export class TokenBytes {
  readonly #bytes: Uint8Array;
  /** Where each token begins, and behind the last one where it ends. */
  readonly #starts: Uint32Array;

  /** Tokens by their ids; those that are missing have no text. */
  constructor(tokens: readonly (Uint8Array | undefined)[]) {
    this.#starts = new Uint32Array(tokens.length + 1);
    for (let id = 0; id < tokens.length; id++) {
      this.#starts[id + 1] = this.#starts[id]! + (tokens[id]?.length ?? 0);
    }
    this.#bytes = new Uint8Array(this.#starts[tokens.length]!);
    for (let id = 0; id < tokens.length; id++) this.#bytes.set(tokens[id] ?? [], this.#starts[id]!);
  }

  /** Nothing for a token that is not known. */
  of(token: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[token] ?? 0, this.#starts[token + 1] ?? 0);
  }
}
