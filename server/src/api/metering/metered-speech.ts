import type { SpeechRequest, SpeechResult } from '../../domain/speech/speech-service.ts';
import type { ApiDeps } from '../dependencies.ts';
import { speakerHeaders } from '../requests/speech-request.ts';
import { streamBytes } from '../responses/byte-stream.ts';
import type { Exchange } from './idempotent-request.ts';
import { meterRequest } from './metered-request.ts';

/** Speech that has begun, as it is to be sent. */
export interface SpeechAnswer extends Omit<SpeechResult, 'contentType'> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends speech while it is made, and charges for as much of its text as the client was sent. */
export async function meterSpeech(
  deps: Pick<ApiDeps, 'config' | 'accounting'>,
  exchange: Exchange,
  order: {
    readonly spoken: SpeechRequest;
    /** All that makes two requests the same. */
    readonly content: readonly unknown[];
    readonly begin: (signal: AbortSignal) => Promise<SpeechAnswer>;
  },
): Promise<void> {
  const { text, model } = order.spoken;
  const units = Buffer.byteLength(text);
  const { content } = order;
  await meterRequest(
    deps.accounting,
    exchange,
    { service: 'tts', model, units, content },
    async (delivery) => {
      const speech = await order.begin(delivery.signal);
      delivery.begin();
      delivery.voice = speech.voice;
      const headers = { 'cache-control': 'no-store', ...speakerHeaders(speech), ...speech.headers };
      const isComplete = await streamBytes(exchange.reply, delivery.record(speech.body), {
        stallMs: deps.config.streamStallSeconds * 1000,
        headers,
      });
      if (isComplete) delivery.keep(headers);
      delivery.deliveredUnits = isComplete
        ? units
        : Buffer.byteLength(text.slice(0, speech.deliveredChars()));
    },
  );
}
