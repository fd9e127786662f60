import type { SpeechRequest, SpeechResult } from '../../domain/speech/speech-service.ts';
import type { ApiDeps } from '../dependencies.ts';
import { voiceHeaders } from '../requests/speech-request.ts';
import { streamBytes } from '../responses/byte-stream.ts';
import type { Exchange } from './idempotent-request.ts';
import { meterRequest } from './metered-request.ts';

/** A speech result with the headers of its response. */
export interface SpeechResponse extends Omit<SpeechResult, 'contentType'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Streams speech to the client, and charges for the bytes of text whose audio was sent. */
export async function meterSpeech(
  deps: Pick<ApiDeps, 'config' | 'accounting'>,
  exchange: Exchange,
  {
    speech: { text, model },
    content,
    begin,
  }: {
    readonly speech: SpeechRequest;
    /** Everything that makes two requests equal. */
    readonly content: readonly unknown[];
    readonly begin: (signal: AbortSignal) => Promise<SpeechResponse>;
  },
): Promise<void> {
  const units = Buffer.byteLength(text);
  const metered = { service: 'tts', model, units, content } as const;
  await meterRequest(deps.accounting, exchange, metered, async (response) => {
    const speech = await begin(response.signal);
    response.begin();
    response.voice = speech.voice;
    const headers = { 'cache-control': 'no-store', ...voiceHeaders(speech), ...speech.headers };
    const isComplete = await streamBytes(exchange.reply, response.record(speech.body), {
      stallMs: deps.config.streamStallSeconds * 1000,
      headers,
    });
    if (isComplete) response.store(headers);
    response.deliveredUnits = isComplete ? units : Buffer.byteLength(text.slice(0, speech.deliveredChars()));
  });
}
