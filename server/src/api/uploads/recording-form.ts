import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UploadSpace } from '../../domain/transcription/upload-space.ts';
import { ApiError } from '../../errors.ts';
import type { ApiConfig } from '../dependencies.ts';
import { MSGPACK_TYPES } from '../plugins/body-parsers.ts';
import { receiveForm } from './receive-form.ts';

/** Forms of both encodings are read by the route itself, as streams; nothing else can carry sound. */
export async function addRecordingForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(MSGPACK_TYPES, async () => undefined);
  app.addContentTypeParser('*', async () => {
    throw new ApiError(
      'unsupported_media_type',
      'Unsupported content type. Send `multipart/form-data` or `application/msgpack`.',
    );
  });
  await app.register(multipart);
}

/** Makes the form the body of the request. Its recording is removed when the answer is out, or nobody waits for it. */
export async function receiveRecording(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    uploads,
    config,
    fileField,
  }: {
    readonly uploads: UploadSpace;
    readonly config: Pick<ApiConfig, 'asrUploadMaxBytes' | 'streamStallSeconds'>;
    /** What the form calls the recording; the body calls it `audio`. */
    readonly fileField: string;
  },
): Promise<void> {
  const { fields, upload } = await receiveForm(request, uploads, {
    fileField,
    maxBytes: config.asrUploadMaxBytes,
    stallMs: config.streamStallSeconds * 1000,
  });
  if (upload !== undefined) {
    if (reply.raw.destroyed) await upload.remove();
    else reply.raw.once('close', () => void upload.remove());
  }
  request.body = { ...fields, audio: upload };
}
