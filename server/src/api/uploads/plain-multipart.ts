import type { FastifyRequest } from 'fastify';
import { FIELD_MAX_BYTES, FIELDS_MAX, FILES_MAX, type FormBuilder, fieldTooLong } from './form-builder.ts';
import { toUploadError } from './multipart-form.ts';
import { tooLarge, type UploadLimits, watched } from './received-form.ts';

/** Reads a form of many parts while it arrives. */
export async function readMultipartForm(
  request: FastifyRequest,
  form: FormBuilder,
  limits: UploadLimits,
): Promise<void> {
  try {
    const parts = request.parts({
      limits: { fileSize: limits.maxBytes, files: FILES_MAX, fields: FIELDS_MAX, fieldSize: FIELD_MAX_BYTES },
      // Some clients name no file; the sound is one all the same.
      isPartAFile: (field, contentType, fileName) =>
        form.isFile(field ?? '') || fileName !== undefined || contentType === 'application/octet-stream',
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        if (part.valueTruncated) throw fieldTooLong(part.fieldname);
        form.addField(part.fieldname, part.value);
      } else {
        await form.addFile(part.fieldname, part.filename ?? 'upload', watched(part.file, limits));
        if (part.file.truncated) throw tooLarge(limits.maxBytes);
      }
    }
  } catch (error) {
    // Nobody takes the rest from the parser any more, which would hold it up, and with it the next request.
    request.raw.unpipe();
    request.raw.resume();
    throw toUploadError(error);
  }
}
