import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../domain/transcription/upload-store.ts';
import type { AudioSource, StoredAudio } from '../../domain/voices/intake/stored-audio.ts';

/** A recording that was streamed to disk. */
export class UploadedRecording implements StoredAudio, Upload {
  readonly sha256: string;
  readonly #upload: Upload;

  private constructor(upload: Upload, sha256: string) {
    this.#upload = upload;
    this.sha256 = sha256;
  }

  /** Writes the bytes to an upload. The caller removes the upload, also after a failure. */
  static async receive(
    upload: Upload,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<UploadedRecording> {
    const hash = createHash('sha256');
    async function* hashed() {
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
    }
    await pipeline(hashed(), createWriteStream(upload.path, { mode: 0o600 }));
    return new UploadedRecording(upload, hash.digest('hex'));
  }

  get source(): AudioSource {
    return { kind: 'file', path: this.path };
  }

  get path(): string {
    return this.#upload.path;
  }

  read(): AsyncIterable<Uint8Array> {
    return createReadStream(this.path);
  }

  store(name: string): Promise<void> {
    return this.#upload.store(name);
  }

  remove(): Promise<void> {
    return this.#upload.remove();
  }
}
