import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { FORMATS } from '../../audio/formats.ts';
import { ApiError } from '../../errors.ts';
import type { SpeakRequest } from '../../speech/speech-service.ts';
import { parseLanguage } from '../../voices/language-tags.ts';
import { streamAudio } from '../audio-stream.ts';
import type { HttpDeps } from '../http-deps.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { toDictionaryChoices } from '../schemas/pronunciation.ts';
import {
  type TtsRequest,
  TtsRequestSchema,
  toMp3BitrateKbps,
  toOpusBitrateBps,
} from '../schemas/tts-request.ts';
import { sell } from '../selling.ts';
import { isSingleSpeakerModel, resolveWireModel, WIRE_MODELS } from '../wire-models.ts';

const audioFile = z.string().meta({ format: 'binary' });

export const ttsRoutes: FastifyPluginAsyncZod<
  Pick<HttpDeps, 'speech' | 'config' | 'accounting' | 'pronunciations'>
> = async (app, deps) => {
  const modelOf = (header: string | undefined) => resolveWireModel(header, deps.config);
  app.post(
    '/v1/tts',
    {
      config: { scope: 'tts', sells: { service: 'tts', modelOf } },
      schema: {
        operationId: 'createSpeech',
        summary: 'Turn text into speech',
        description: 'The audio is sent while it is made. When it cannot be finished, the connection is cut.',
        tags: ['speech'],
        consumes: ['application/json', 'application/msgpack'],
        headers: z.looseObject({
          model: z
            .string()
            .optional()
            .describe(`One of ${WIRE_MODELS.join(', ')}. Absent or unknown: the server’s default model.`),
        }),
        body: TtsRequestSchema,
        response: {
          200: {
            description:
              'The audio file. `x-mynah-model`, `x-mynah-engine` and `x-mynah-voice` say who speaks, `x-mynah-cost` what is held for it in US dollars.',
            content: Object.fromEntries(
              Object.values(FORMATS).map(({ contentType }) => [contentType, { schema: audioFile }]),
            ),
          },
          ...errorResponses(
            'invalid_request',
            'invalid_body',
            'voice_not_found',
            'sample_rate_not_supported',
            'language_not_supported',
            'nothing_to_speak',
            'invalid_phonemes',
            'not_supported',
            'invalid_api_key',
            'insufficient_balance',
            'spend_cap_reached',
            'insufficient_scope',
            'idempotency_in_progress',
            'idempotency_outcome_gone',
            'body_too_large',
            'text_too_long',
            'unsupported_media_type',
            'idempotency_key_reused',
            'concurrency_exceeded',
            'rate_limited',
            'queue_full',
            'engine_failed',
            'engine_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const model = modelOf(request.headers.model);
      if (body.text.length > deps.config.textMaxChars) {
        throw new ApiError(
          'text_too_long',
          `The text is longer than ${deps.config.textMaxChars} characters.`,
        );
      }
      const encoding = request.mediaType === 'application/json' ? 'JSON' : 'MsgPack';
      const voice = singleVoice(body, model, encoding);
      assertSupported(body);

      const { accountId } = request.caller!;
      const choices = toDictionaryChoices(body.pronunciation_dictionary);
      const pronunciations = await deps.pronunciations.find(accountId, choices);
      const units = Buffer.byteLength(body.text);
      const order = { service: 'tts', model, units, content: [body] } as const;
      await sell(deps.accounting, { request, reply }, order, async (delivery) => {
        const speech = await deps.speech.speak(
          {
            ...toSpeakRequest(body),
            ...(pronunciations && { pronunciations }),
            accountId,
            requestId: request.id,
            model,
            voice,
          },
          delivery.signal,
        );
        delivery.begin();
        delivery.voice = speech.voice;
        const headers = {
          'content-type': speech.contentType,
          'cache-control': 'no-store',
          'x-mynah-model': speech.model,
          'x-mynah-engine': speech.engine,
          // Names of voices that users dropped in may hold any letter; a header may not.
          'x-mynah-voice': encodeURI(speech.voice),
          ...warningHeader(body),
        };
        const isComplete = await streamAudio(reply, delivery.record(speech.body), {
          stallMs: deps.config.streamStallSeconds * 1000,
          headers,
        });
        if (isComplete) delivery.keep(headers);
        delivery.deliveredUnits = isComplete
          ? units
          : Buffer.byteLength(body.text.slice(0, speech.deliveredChars()));
      });
    },
  );
};

/** The one voice a request names. Several speakers are refused. */
function singleVoice({ reference_id }: TtsRequest, model: string, encoding: string): string | undefined {
  if (!Array.isArray(reference_id)) return reference_id || undefined;
  if (isSingleSpeakerModel(model)) {
    throw new ApiError(
      'invalid_request',
      `Failed to parse the request body as ${encoding}: data did not match any variant of untagged enum MultiSpeakerReference`,
    );
  }
  if (reference_id.length > 1) {
    throw new ApiError(
      'not_supported',
      'Several speakers in one request are not supported. Give one `reference_id`.',
    );
  }
  return reference_id[0];
}

// Speaking in another voice than was asked for would be worse than a refusal.
function assertSupported({ references }: TtsRequest): void {
  if (references?.length) {
    throw new ApiError(
      'not_supported',
      'Cloning from `references` is not supported. Name a voice of `GET /model` in `reference_id`.',
    );
  }
}

function toSpeakRequest(body: TtsRequest): Omit<SpeakRequest, 'accountId' | 'requestId' | 'model' | 'voice'> {
  return {
    text: body.text,
    format: body.format,
    sampleRateHz: body.sample_rate ?? undefined,
    mp3BitrateKbps: toMp3BitrateKbps(body.mp3_bitrate),
    opusBitrateBps: toOpusBitrateBps(body.opus_bitrate),
    speed: body.prosody?.speed ?? 1,
    volumeDb: clamp(body.prosody?.volume ?? 0, -20, 20),
    normalizeLoudness: body.prosody?.normalize_loudness ?? true,
    normalize: body.normalize,
    chunkLength: body.chunk_length,
    minChunkLength: body.min_chunk_length,
    latency: body.latency,
    conditionOnPreviousChunks: body.condition_on_previous_chunks,
    temperature: clamp(body.temperature, 0, 1),
    seed: body.seed ?? undefined,
    language: body.language ? parseLanguage(body.language) : undefined,
  };
}

/** Says which values were out of range and held to it. */
function warningHeader({ temperature, prosody }: TtsRequest): Record<string, string> {
  const volume = prosody?.volume ?? 0;
  const clamped = [
    ...(temperature === clamp(temperature, 0, 1) ? [] : ['temperature was held to 0..1']),
    ...(volume === clamp(volume, -20, 20) ? [] : ['prosody.volume was held to -20..20']),
  ];
  return clamped.length > 0 ? { 'x-mynah-warning': clamped.join('; ') } : {};
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
