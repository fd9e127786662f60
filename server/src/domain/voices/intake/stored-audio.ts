import { createHash } from 'node:crypto';

/** An audio file in memory or on disk. */
export interface StoredAudio {
  /** In hex. */
  readonly sha256: string;
  /** Its bytes from the beginning. May be called repeatedly. */
  read(): AsyncIterable<Uint8Array>;
}

/** An audio file in memory. */
export class MemoryAudio implements StoredAudio {
  readonly sha256: string;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.sha256 = createHash('sha256').update(bytes).digest('hex');
  }

  async *read(): AsyncGenerator<Uint8Array> {
    yield this.#bytes;
  }
}
