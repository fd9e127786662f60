import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { Upload, UploadSpace } from '../../domain/transcription/upload-space.ts';
import { ApiError } from '../../errors.ts';
import { tooManyParts } from './form-builder.ts';
import {
  FIELDS_MAX_BYTES,
  type ReceivedForm,
  tooLarge,
  type UploadLimits,
  watched,
} from './received-form.ts';

const FIELDS_MAX = 64;

/** Reads a form as it arrives: the file `fileField` goes to disk, other files are dropped. */
export async function receiveMultipartForm(
  request: Pick<FastifyRequest, 'parts'>,
  space: UploadSpace,
  { fileField, maxBytes, stallMs }: UploadLimits & { readonly fileField: string },
): Promise<ReceivedForm> {
  const fields: Record<string, unknown> = {};
  let upload: Upload | undefined;
  try {
    const parts = request.parts({
      limits: { fileSize: maxBytes, files: 4, fields: FIELDS_MAX, fieldSize: FIELDS_MAX_BYTES / FIELDS_MAX },
      // Some clients name no file; the sound is one all the same.
      isPartAFile: (field, contentType, fileName) =>
        field === fileField || fileName !== undefined || contentType === 'application/octet-stream',
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        if (part.valueTruncated)
          throw new ApiError('request_too_large', `\`${part.fieldname}\` is too long.`);
        fields[part.fieldname] = withValue(fields[part.fieldname], part.value);
      } else if (part.fieldname === fileField) {
        await upload?.remove();
        upload = await space.create();
        const bytes = watched(part.file, { maxBytes, stallMs });
        await pipeline(bytes, createWriteStream(upload.path, { mode: 0o600 }));
        if (part.file.truncated) throw tooLarge(maxBytes);
      } else part.file.resume();
    }
    return { fields, upload };
  } catch (error) {
    await upload?.remove();
    throw toUploadError(error);
  }
}

/** A field that comes several times is a list. */
function withValue(known: unknown, value: unknown): unknown {
  return known === undefined ? value : [known, value].flat();
}

/** The failure of reading a form, as a client may see it. */
export function toUploadError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (/^FST_(PARTS|FILES|FIELDS)_LIMIT$/.test(code)) {
    return tooManyParts(error);
  }
  const isBroken =
    code.startsWith('FST_') || /multipart|boundary|part/i.test(message) || code === 'ECONNRESET';
  if (!isBroken) return error;
  return new ApiError('invalid_body', 'The form is not valid, or ended early.', { cause: error });
}
