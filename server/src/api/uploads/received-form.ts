import type { Readable } from 'node:stream';
import type { Upload } from '../../domain/transcription/upload-space.ts';
import { ApiError } from '../../errors.ts';

/** A form whose one file went to disk while it arrived. */
export interface ReceivedForm {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined when the form had no such file. */
  readonly upload: Upload | undefined;
}

/** What an upload may cost. */
export interface UploadLimits {
  readonly maxBytes: number;
  /** A client that sends nothing for so long is refused. */
  readonly stallMs: number;
}

/** All other fields of a form together may not be larger than this. */
export const FIELDS_MAX_BYTES = 256 * 1024;

export function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    'request_too_large',
    `The upload is over the limit of ${Math.floor(maxBytes / 1e6)} MB of this server.`,
  );
}

/** Passes bytes on. Throws when they are too many, or when the next ones do not come. */
export async function* watched(
  source: Readable,
  { maxBytes, stallMs }: UploadLimits,
): AsyncGenerator<Buffer> {
  // A request that is destroyed takes its connection along, and the client would never see why.
  const chunks: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
  let total = 0;
  try {
    for (;;) {
      const next = await beforeStall(chunks.next(), stallMs);
      if (next.done) return;
      total += next.value.length;
      if (total > maxBytes) throw tooLarge(maxBytes);
      yield next.value;
    }
  } finally {
    // Lets go of the stream, so that the rest can be dropped. Not awaited: one that stalled would not answer.
    chunks.return?.().catch(() => {});
  }
}

async function beforeStall<Value>(value: Promise<Value>, stallMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    const fail = () => reject(new ApiError('invalid_body', 'The upload stopped before its end.'));
    timer = setTimeout(fail, stallMs);
  });
  try {
    return await Promise.race([value, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
