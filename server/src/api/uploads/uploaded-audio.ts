import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../domain/transcription/upload-space.ts';
import type { StoredAudio } from '../../domain/voices/intake/stored-audio.ts';

/** An audio file that went to disk while it arrived. */
export class UploadedAudio implements StoredAudio {
  readonly sha256: string;
  readonly #path: string;

  private constructor(path: string, sha256: string) {
    this.#path = path;
    this.sha256 = sha256;
  }

  /** Writes the bytes to the place of an upload, which stays the caller's to remove. */
  static async receive(upload: Pick<Upload, 'path'>, bytes: AsyncIterable<Buffer>): Promise<UploadedAudio> {
    const hash = createHash('sha256');
    async function* hashed() {
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
    }
    await pipeline(hashed(), createWriteStream(upload.path, { mode: 0o600 }));
    return new UploadedAudio(upload.path, hash.digest('hex'));
  }

  read(): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path);
  }
}
