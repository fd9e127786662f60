import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { joinBytes } from '../../audio/bytes.ts';
import { fromPcm16Bytes } from '../../audio/encode/pcm16.ts';
import { FORMATS } from '../../audio/formats.ts';
import {
  CaptionError,
  type ParsedCaption,
  parseCaptionsInSteps,
} from '../../domain/captions/parse-captions.ts';
import { dubCaptions } from '../../domain/dubbing/dub-captions.ts';
import {
  assertDubDuration,
  CAPTION_LIMITS,
  type DubDurationLimits,
} from '../../domain/dubbing/dub-duration.ts';
import { audioSettingsOf, encodeSpeech } from '../../domain/speech/encode-speech.ts';
import type { SpeechRequest } from '../../domain/speech/speech-service.ts';
import { runInSlices } from '../../domain/speech/time-slice.ts';
import type { Voice } from '../../domain/voices/voice.ts';
import { ApiError } from '../../errors.ts';
import type { ApiDeps } from '../dependencies.ts';
import { meterSpeech, type SpeechResponse } from '../metering/metered-speech.ts';
import { speechContextOf, toSpeechRequest } from '../requests/speech-request.ts';
import { errorResponses } from '../schemas/error-body.ts';
import { type DubRequest, DubRequestSchema } from '../schemas/speech/dub.ts';
import { SPEECH_ERRORS, SpeechHeadersSchema, TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { resolveWireModel } from '../wire/wire-models.ts';

type DubDeps = Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver'>;

/** Sample rate of the engines. */
const RATE_HZ = 24_000;
const DEFAULT_MAX_SPEED = 1.3;
const audioFile = z.string().meta({ format: 'binary' });

/** Speech that follows the times of captions. */
export const dubRoutes: FastifyPluginAsyncZod<DubDeps> = async (app, deps) => {
  const modelOf = (header: string | undefined) => resolveWireModel(header, deps.config);
  app.post(
    '/v1/dub',
    {
      config: { scope: 'tts', metering: { service: 'tts', modelOf } },
      schema: {
        operationId: 'dubCaptions',
        summary: 'Speak captions at their times',
        description:
          'Every caption starts at its time. Speech that does not fit is accelerated up to `max_speed`; what is still too long continues in the pause before the next caption, and is faded out there.',
        tags: ['speech'],
        consumes: ['application/json'],
        headers: SpeechHeadersSchema,
        body: DubRequestSchema,
        response: {
          200: {
            description: 'The audio file, from time 0 to the end of the last caption’s speech.',
            content: Object.fromEntries(
              Object.values(FORMATS).map(({ contentType }) => [contentType, { schema: audioFile }]),
            ),
          },
          ...errorResponses(...SPEECH_ERRORS, 'invalid_captions'),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { accountId } = request.caller;
      const captions = await readCaptions(accountId, body.captions, deps.config);
      // The text of the charge. Each caption is a request of its own to the engine.
      const text = captions.map((caption) => caption.text).join('');
      const tts = TtsRequestSchema.parse({ ...toTtsFields(body), text });
      const pending = await toSpeechRequest(tts, speechContextOf(request, deps), deps);
      const speakers = Object.entries(body.speakers ?? {});
      const voices = await deps.voiceResolver.resolve({
        accountId,
        named: speakers.map(([, voice]) => voice),
        recordings: [],
        isPerSpeaker: false,
      });
      await meterSpeech(
        deps,
        { request, reply },
        {
          speech: pending,
          content: [body],
          begin: async (loaded, signal) => {
            const list = [(await voices.load(signal)) ?? []].flat() as readonly Voice[];
            const byName = new Map(speakers.map(([name], index) => [name, list[index]]));
            const maxSpeed = body.max_speed ?? DEFAULT_MAX_SPEED;
            const { pieceSilenceMaxSeconds: silenceMaxSeconds } = deps.config;
            return dub(deps, captions, {
              loaded: { ...loaded, silenceMaxSeconds },
              byName,
              maxSpeed,
              signal,
            });
          },
        },
      );
    },
  );
};

async function dub(
  { speech }: Pick<DubDeps, 'speech'>,
  captions: readonly ParsedCaption[],
  options: {
    readonly loaded: SpeechRequest;
    readonly byName: ReadonlyMap<string, Voice | undefined>;
    readonly maxSpeed: number;
    readonly signal: AbortSignal;
  },
): Promise<SpeechResponse> {
  const { loaded, byName, maxSpeed, signal } = options;
  const facts = { model: loaded.model, engine: '', voice: '' };
  let deliveredBytes = 0;
  const dictionaryBytes = new Map<ParsedCaption, number>();
  const speak = async (caption: ParsedCaption, speed: number) => {
    const voice = (caption.speaker !== undefined && byName.get(caption.speaker)) || loaded.voice;
    const request = {
      ...loaded,
      text: caption.text,
      voice,
      speed,
      format: 'pcm',
      sampleRateHz: RATE_HZ,
    } as const;
    try {
      const spoken = await speech.speak(request, signal);
      facts.engine ||= spoken.engine;
      facts.voice ||= spoken.voice;
      const parts: Uint8Array[] = [];
      for await (const bytes of spoken.body) parts.push(bytes.slice());
      dictionaryBytes.set(caption, spoken.dictionaryBytes());
      return fromPcm16Bytes(joinBytes(parts));
    } catch (error) {
      // A caption such as “♪” is silence.
      if (error instanceof ApiError && error.code === 'nothing_to_speak') return new Float32Array(0);
      throw error;
    }
  };
  const onCaption = ({ text }: ParsedCaption) => {
    deliveredBytes += Buffer.byteLength(text);
  };
  const audio = dubCaptions(captions, speak, { sampleRateHz: RATE_HZ, maxSpeed, onCaption });
  const file = await encodeSpeech(audio, audioSettingsOf(loaded));
  const dictionaries = () => [...dictionaryBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
  return {
    ...facts,
    headers: { 'content-type': file.contentType },
    body: file.body,
    deliveredBytes: () => deliveredBytes + dictionaries(),
    dictionaryBytes: dictionaries,
  };
}

async function readCaptions(
  accountId: string,
  file: string,
  limits: DubDurationLimits,
): Promise<ParsedCaption[]> {
  try {
    const captions = await runInSlices(accountId, parseCaptionsInSteps(file, CAPTION_LIMITS));
    assertDubDuration(captions, limits);
    return captions;
  } catch (error) {
    if (error instanceof CaptionError) throw new ApiError('invalid_captions', error.message);
    throw error;
  }
}

/** The fields that a speech request has as well. */
function toTtsFields({ captions: _, speakers: __, max_speed: ___, ...fields }: DubRequest): object {
  return fields;
}
