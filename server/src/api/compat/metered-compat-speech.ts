import type { z } from 'zod';
import type { DirectedRange } from '../../domain/speech/acting/directed-range.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import type { ApiDeps, AuthenticatedRequest } from '../dependencies.ts';
import type { Exchange } from '../metering/idempotent-request.ts';
import { meterSpeech } from '../metering/metered-speech.ts';
import {
  type OutputFormat,
  type PendingSpeechRequest,
  toSpeechRequest,
  toWarningHeader,
} from '../requests/speech-request.ts';
import { TtsRequestSchema } from '../schemas/speech/tts-request.ts';
import { parseBody } from '../wire/validation.ts';

export type SpeechDeps = Pick<
  ApiDeps,
  'speech' | 'config' | 'accounting' | 'pronunciations' | 'voiceResolver'
>;

/** A speech request of a compatibility route, mapped to native fields. */
export interface CompatSpeechOptions {
  readonly model: string;
  /** The request body as a native body. */
  readonly body: z.input<typeof TtsRequestSchema>;
  /** The output format in place of that of `body`. */
  readonly output?: OutputFormat;
  /** Native fields sent by the client. They take precedence over `body`. */
  readonly native: Readonly<Record<string, unknown>>;
  /** Deliveries in addition to the cues in the text. */
  readonly directions?: readonly DirectedRange[];
  /** Values of the request that were changed. */
  readonly warnings?: readonly string[];
}

/** Validates and converts a request. The default latency is `low`: these clients play the audio as it arrives. */
export async function toCompatRequest(
  request: AuthenticatedRequest,
  { model, body, native, output, directions }: CompatSpeechOptions,
  deps: Pick<SpeechDeps, 'config' | 'pronunciations' | 'voiceResolver'>,
): Promise<PendingSpeechRequest> {
  // `native` is untyped client input; the merged body is validated below.
  const prosody = { ...body.prosody, ...(native.prosody as object | undefined) };
  const checked = parseBody(TtsRequestSchema, { latency: 'low', ...body, ...native, prosody });
  const context = { accountId: request.caller.accountId, requestId: request.id, encoding: 'JSON' } as const;
  const pending = await toSpeechRequest(checked, { ...context, model }, deps);
  return { ...pending, ...(hasNativeFormat(native) ? {} : output), ...(directions && { directions }) };
}

/** Whether the client requests an output format in native fields. */
export function hasNativeFormat(native: Readonly<Record<string, unknown>>): boolean {
  return native.format !== undefined || native.sample_rate !== undefined;
}

/** A response that embeds the audio instead of being the audio file. */
export interface ResponseFormat {
  readonly contentType: string;
  readonly write: (body: AsyncIterable<TimedAudio>, text: ResponseText) => AsyncIterable<Uint8Array>;
}

/** The text of a request, and the account whose time the work on it takes. */
export interface ResponseText {
  readonly text: string;
  readonly owner: string;
}

/** Synthesizes, meters and sends speech: as the audio file, or in `format`. */
export async function meterCompatSpeech(
  deps: SpeechDeps,
  exchange: Exchange,
  options: CompatSpeechOptions,
  format?: ResponseFormat,
): Promise<void> {
  const { request } = exchange;
  const speechRequest = await toCompatRequest(request, options, deps);
  await meterSpeech(deps, exchange, {
    speech: speechRequest,
    content: [options, format?.contentType],
    async begin(loaded, signal) {
      if (format === undefined) {
        const { contentType, ...speech } = await deps.speech.speak(loaded, signal);
        return { ...speech, headers: headersOf(contentType, speech.warnings) };
      }
      const { contentType: _, body, ...speech } = await deps.speech.speakTimed(loaded, signal);
      const written = format.write(body, { text: loaded.text, owner: request.caller.accountId });
      return { ...speech, body: written, headers: headersOf(format.contentType, speech.warnings) };
    },
  });

  function headersOf(contentType: string, textWarnings: readonly string[] = []): Record<string, string> {
    const { id } = request;
    const warnings = [...(options.warnings ?? []), ...textWarnings];
    const ids = { 'x-generation-id': id, 'request-id': id };
    return { 'content-type': contentType, ...ids, ...toWarningHeader(warnings) };
  }
}
