import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createNotYoursError } from '../../../domain/voices/library/voice-access.ts';
import { uploadPace } from '../../bodies/read-body.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { ownerOf } from '../../routes/model-writes.ts';
import { recording, single, text } from '../../schemas/form-fields.ts';
import { addUploadForms } from '../../uploads/upload-forms.ts';
import { createPrivateVoice } from './create-private-voice.ts';

const NAME_MAX = 200;
const DESCRIPTION_MAX = 5000;
const RECORDINGS_MAX = 20;

/** `labels` and `remove_background_noise` are accepted and ignored. */
const CreateVoiceForm = z.object({
  name: single(text(NAME_MAX).pipe(z.string().min(1, '`name` must not be empty'))),
  description: single(text(DESCRIPTION_MAX)).nullish(),
  files: z.array(recording).min(1).max(RECORDINGS_MAX),
});
const VoiceParams = z.object({ voice_id: z.string() });

/** ElevenLabs' instant voice cloning: `POST /v1/voices/add` and `DELETE /v1/voices/:voice_id`. */
export const elevenLabsVoiceWriteRoutes: FastifyPluginAsyncZod<
  Pick<ApiDeps, 'voices' | 'library' | 'config' | 'accounting' | 'transcription'>
> = async (app, { voices, library, config, accounting, transcription }) => {
  const routeConfig = { keyHeader: 'xi-api-key', scope: 'voices:write' } as const;
  addUploadForms(app, {
    encodings: ['multipart'],
    recordings: ['files'],
    files: [],
    acceptsBase64: false,
    maxBytes: config.voiceUploadMaxBytes,
    pace: uploadPace(config),
    uploads: transcription.uploads,
    onRecording: (signal) => library.prepareCreation(signal),
  });
  app.post(
    '/v1/voices/add',
    { config: routeConfig, schema: { hide: true, body: CreateVoiceForm } },
    async (request, reply) => {
      const { body } = request;
      const recordings = body.files.map((file) => ({ ...file, text: undefined }));
      await createPrivateVoice(
        { library, accounting },
        { request, reply },
        { title: body.name, description: body.description ?? '', recordings, designed: undefined },
        (voice) => ({ voice_id: voice.id, requires_verification: false }),
      );
    },
  );
  app.delete(
    '/v1/voices/:voice_id',
    { config: routeConfig, schema: { hide: true, params: VoiceParams } },
    async (request) => {
      const { voice_id: id } = request.params;
      if (voices.resolve(id) !== undefined) throw createNotYoursError();
      await library.remove(ownerOf(request), id);
      return { status: 'ok' };
    },
  );
};
