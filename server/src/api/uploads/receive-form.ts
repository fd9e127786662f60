import type { FastifyRequest } from 'fastify';
import type { UploadSpace } from '../../domain/transcription/upload-space.ts';
import { receiveMsgpackForm } from './msgpack-form.ts';
import { receiveMultipartForm } from './multipart-form.ts';
import { type ReceivedForm, tooLarge, type UploadLimits } from './received-form.ts';

/** Room for what surrounds a file: field names, boundaries, other fields. */
const ENVELOPE_MAX_BYTES = 1024 * 1024;

/** Reads a form, in either encoding, with its file going to disk as it arrives. */
export async function receiveForm(
  request: FastifyRequest,
  space: UploadSpace,
  options: UploadLimits & { readonly fileField: string },
): Promise<ReceivedForm> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > options.maxBytes + ENVELOPE_MAX_BYTES) throw tooLarge(options.maxBytes);
  return request.isMultipart()
    ? receiveMultipartForm(request, space, options)
    : receiveMsgpackForm(request.raw, space, options);
}
