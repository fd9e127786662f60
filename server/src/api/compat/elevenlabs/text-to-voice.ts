import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { VoiceDesign } from '../../../domain/voices/design/voice-designer.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { meterVoiceDesign, type VoiceDesignDeps } from '../../metering/metered-voice-design.ts';
import { baseUrlOf } from '../../routes/model-writes.ts';
import { toStoredModelEntity } from '../../schemas/voices/model-entity.ts';
import { createPrivateVoice } from './create-private-voice.ts';
import { toElevenLabsVoice } from './voices.ts';

const PREVIEWS = 3;
const DESCRIPTION_MAX = 2000;
const TEXT_MAX = 1000;
const NAME_MAX = 200;
/** A generated voice id contains the voice, of about 2 kB. */
const GENERATED_ID_MAX = 20_000;

/** Other fields, such as `loudness`, `quality` and `guidance_scale`, are accepted and ignored. */
const DesignBody = z.object({
  voice_description: z.string().trim().min(1, 'voice_description must not be empty').max(DESCRIPTION_MAX),
  text: z.string().trim().max(TEXT_MAX).nullish(),
  seed: z.int().nullish(),
});
const CreateBody = z.object({
  voice_name: z.string().trim().min(1, 'voice_name must not be empty').max(NAME_MAX),
  voice_description: z.string().trim().max(DESCRIPTION_MAX).nullish(),
  generated_voice_id: z.string().max(GENERATED_ID_MAX),
});

/** ElevenLabs' voice design: previews from a description, and a voice from one of them. */
export const elevenLabsTextToVoiceRoutes: FastifyPluginAsyncZod<
  VoiceDesignDeps & Pick<ApiDeps, 'library'>
> = async (app, deps) => {
  const { designer } = deps;
  for (const path of ['/v1/text-to-voice/design', '/v1/text-to-voice/create-previews']) {
    app.post(
      path,
      {
        config: {
          keyHeader: 'xi-api-key',
          scope: 'tts',
          metering: { service: 'voice_design', modelOf: () => 'voice-design' },
        },
        schema: { hide: true, body: DesignBody },
      },
      async (request, reply) => {
        const { voice_description: instruction, text, seed } = request.body;
        await meterVoiceDesign(
          deps,
          { request, reply },
          {
            design: {
              instruction,
              text: text || undefined,
              count: PREVIEWS,
              speed: 1,
              seed: seed ?? undefined,
            },
            content: [request.body],
            write: toPreviews,
          },
        );
      },
    );
  }

  app.post(
    '/v1/text-to-voice',
    { config: { keyHeader: 'xi-api-key', scope: 'voices:write' }, schema: { hide: true, body: CreateBody } },
    async (request, reply) => {
      const { voice_name: title, voice_description: description, generated_voice_id: id } = request.body;
      const designed = designer.restore([parseGeneratedId(id)]);
      await createPrivateVoice(
        deps,
        { request, reply },
        { title, description: description ?? '', recordings: [], designed },
        (voice) => toElevenLabsVoice(toStoredModelEntity(voice, baseUrlOf(request)), 'generated'),
      );
    },
  );
};

function toPreviews({ candidates, text }: VoiceDesign) {
  return {
    previews: candidates.map(({ wav, sha256, signature, durationMs }) => ({
      audio_base_64: Buffer.from(wav).toString('base64'),
      generated_voice_id: `${sha256}.${signature}`,
      media_type: 'audio/wav',
      duration_secs: durationMs / 1000,
      language: 'en',
    })),
    text,
  };
}

/** The hash of the preview and the signature that contains the voice. An invalid id has an invalid signature. */
function parseGeneratedId(id: string): { readonly sha256: string; readonly signature: string } {
  const end = id.indexOf('.');
  return { sha256: id.slice(0, Math.max(0, end)), signature: id.slice(end + 1) };
}
