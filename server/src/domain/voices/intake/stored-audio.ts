import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The bytes of an audio file, in a form that can be sent to a worker process. */
export type AudioSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** An audio file in memory or on disk. */
export interface StoredAudio {
  /** In hex. */
  readonly sha256: string;
  readonly source: AudioSource;
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

  get source(): AudioSource {
    return { kind: 'bytes', bytes: this.#bytes };
  }

  read(): AsyncIterable<Uint8Array> {
    return readAudioSource(this.source);
  }
}

/** The bytes of a source from the beginning. */
export async function* readAudioSource(source: AudioSource): AsyncGenerator<Uint8Array> {
  if (source.kind === 'bytes') yield source.bytes;
  else yield* createReadStream(source.path);
}
