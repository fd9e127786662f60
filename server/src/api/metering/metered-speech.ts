import type { SpeechRequest, SpeechResult } from '../../domain/speech/speech-service.ts';
import type { ApiDeps } from '../dependencies.ts';
import { loadVoices, type PendingSpeechRequest, voiceHeaders } from '../requests/speech-request.ts';
import { streamBytes } from '../responses/byte-stream.ts';
import type { Exchange } from './idempotent-request.ts';
import { COST_HEADER, meterRequest } from './metered-request.ts';

/** A speech result with the headers of its response. */
export interface SpeechResponse extends Omit<SpeechResult, 'contentType'> {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Streams speech to the client. Charges the whole text when all audio was sent, otherwise the text up to the end of the
 * last piece of which audio was sent. Dictionary entries that are longer than the text that they replace are charged in
 * addition; their price is held before the audio of their piece is sent.
 */
export async function meterSpeech(
  deps: Pick<ApiDeps, 'config' | 'accounting'>,
  exchange: Exchange,
  {
    speech: pending,
    content,
    begin,
  }: {
    readonly speech: PendingSpeechRequest;
    /** Everything that makes two requests equal. */
    readonly content: readonly unknown[];
    /** Starts the synthesis of the request with its loaded voices. */
    readonly begin: (request: SpeechRequest, signal: AbortSignal) => Promise<SpeechResponse>;
  },
): Promise<void> {
  const { text, model } = pending;
  const units = Buffer.byteLength(text);
  const metered = { service: 'tts', model, units, content } as const;
  await meterRequest(deps.accounting, exchange, metered, async (response) => {
    const work = new AbortController();
    const { signal } = work;
    // Not `AbortSignal.any`, whose signals are only released by a full garbage collection.
    const stop = () => work.abort(response.signal.reason);
    response.signal.addEventListener('abort', stop, { once: true });
    if (response.signal.aborted) stop();
    const loaded = await loadVoices(pending, { signal, begin: () => response.begin() });
    const speech = await begin(loaded, signal);
    response.begin();
    response.voice = speech.voice;
    const holdDictionary = () => response.extendHold(units + speech.dictionaryBytes());
    // A body that is never read does not end by itself.
    await holdDictionary().catch((error: unknown) => {
      work.abort(error);
      throw error;
    });
    exchange.reply.header(COST_HEADER, response.price);
    const headers = { 'cache-control': 'no-store', ...voiceHeaders(speech), ...speech.headers };
    const isComplete = await streamBytes(
      exchange.reply,
      response.record(beforeEach(speech.body, holdDictionary)),
      {
        stallMs: deps.config.streamStallSeconds * 1000,
        headers,
        onSent: () => {
          response.deliveredUnits = speech.deliveredBytes();
        },
      },
    );
    if (!isComplete) return;
    response.deliveredUnits = units + speech.dictionaryBytes();
    response.store(headers);
  });
}

async function* beforeEach(
  body: AsyncIterable<Uint8Array>,
  step: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    await step();
    yield bytes;
  }
}
