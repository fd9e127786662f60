import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SpeechRequest } from '../../domain/speech/speech-service.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ApiDeps } from '../dependencies.ts';
import { meterSpeech } from '../metering/metered-speech.ts';
import { toSpeakRequest } from '../requests/speech-request.ts';
import { TtsRequestSchema } from '../schemas/tts-request.ts';
import { parseBody } from '../wire/validation.ts';

export type SpeechDeps = Pick<ApiDeps, 'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceFinder'>;

/** What a route of another service asks for, in our own words. */
export interface CompatSpeech {
  readonly model: string;
  /** The body it means, and over it what the client gave in our own words. */
  readonly body: z.input<typeof TtsRequestSchema>;
  readonly native: Readonly<Record<string, unknown>>;
}

/** The checked request that it means. These clients wait for the first sound, so latency is low unless they say. */
export async function toCompatRequest(
  request: FastifyRequest,
  { model, body, native }: CompatSpeech,
  deps: Pick<SpeechDeps, 'config' | 'pronunciations' | 'voiceFinder'>,
): Promise<SpeechRequest> {
  const prosody = { ...body.prosody, ...(native.prosody as object | undefined) };
  const checked = parseBody(TtsRequestSchema, { latency: 'low', ...body, ...native, prosody });
  const context = { accountId: request.caller!.accountId, requestId: request.id, encoding: 'JSON' } as const;
  return toSpeakRequest(checked, { ...context, model }, deps);
}

/** How the answer is written, where it is more than the audio file. */
export interface TimedAnswer {
  readonly contentType: string;
  readonly write: (body: AsyncIterable<TimedAudio>, text: string) => AsyncIterable<Uint8Array>;
}

/** Speaks, and sends the audio file, or what is to be written instead of it. */
export async function sellCompatSpeech(
  deps: SpeechDeps,
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  wish: CompatSpeech,
  timed?: TimedAnswer,
): Promise<void> {
  const { request } = exchange;
  const spoken = await toCompatRequest(request, wish, deps);
  await meterSpeech(deps, exchange, {
    spoken,
    content: [wish, timed?.contentType],
    async begin(signal) {
      if (timed === undefined) {
        const { contentType, ...speech } = await deps.speech.speak(spoken, signal);
        return { ...speech, headers: headersOf(request, contentType) };
      }
      const { contentType: _, body, ...speech } = await deps.speech.speakTimed(spoken, signal);
      const written = timed.write(body, spoken.text);
      return { ...speech, body: written, headers: headersOf(request, timed.contentType) };
    },
  });
}

function headersOf({ id }: FastifyRequest, contentType: string): Record<string, string> {
  return { 'content-type': contentType, 'x-generation-id': id, 'request-id': id };
}
