import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionOptions,
} from '../../domain/transcription/transcription-service.ts';
import type { Upload } from '../../domain/transcription/upload-store.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { inOnePiece, streamBytes } from '../responses/byte-stream.ts';
import { EVENT_STREAM_HEADERS, type ServerEvent, streamEvents } from '../responses/event-stream.ts';
import type { TranscriptAnswer } from '../responses/transcript-response.ts';
import type { Exchange } from './idempotent-request.ts';
import { COST_HEADER, type MeteredResponse, meterRequest } from './metered-request.ts';

/** A recording that is to be heard, and how the client wants to be told. */
export interface TranscriptionOrder {
  readonly options: TranscriptionOptions;
  readonly audio: Upload;
  /** What else makes two requests the same. */
  readonly content: readonly unknown[];
  readonly answer:
    | { readonly whole: (transcript: Transcript) => TranscriptAnswer }
    | { readonly events: (heard: AsyncIterable<TranscriptionEvent>) => AsyncIterable<ServerEvent> };
}

/**
 * Hears a recording and sends what was said. Its length shows only at the end, so its price is held and charged
 * just before the result is told; a recording that fails costs nothing.
 */
export async function meterTranscription(
  deps: Pick<TranscriptionDeps, 'transcription'> & Pick<ApiDeps, 'config' | 'accounting'>,
  { request, reply }: Exchange,
  { options, audio, content, answer }: TranscriptionOrder,
): Promise<void> {
  const order = {
    service: 'asr' as const,
    model: options.model,
    units: 0,
    content: [options, ...content, await recordingDigest(request, audio)],
  };
  const stallMs = deps.config.streamStallSeconds * 1000;
  await meterRequest(deps.accounting, { request, reply }, order, async (delivery) => {
    // Hearing has a queue of its own; it does not keep speech from starting.
    delivery.begin();
    const { transcription } = deps;
    const heard = charged(
      transcription.transcribe({ ...options, path: audio.path }, delivery.signal),
      delivery,
      reply,
    );
    if ('events' in answer) {
      const record = (bytes: AsyncIterable<Uint8Array>) => delivery.record(bytes);
      const isComplete = await streamEvents(reply, answer.events(heard), { stallMs, record });
      if (isComplete && delivery.deliveredUnits > 0) delivery.keep(EVENT_STREAM_HEADERS);
      return;
    }
    const { contentType, body } = answer.whole(await resultOf(heard));
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
    if (await streamBytes(reply, delivery.record(inOnePiece(bytes)), { headers, stallMs }))
      delivery.keep(headers);
  });
}

/** Tells two recordings apart, where a request may be repeated. */
export async function recordingDigest(
  request: FastifyRequest,
  { path }: Upload,
): Promise<string | undefined> {
  if (request.headers['idempotency-key'] === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Takes the price of what was heard before the result is told. */
async function* charged(
  heard: AsyncIterable<TranscriptionEvent>,
  delivery: MeteredResponse,
  reply: FastifyReply,
): AsyncGenerator<TranscriptionEvent> {
  for await (const event of heard) {
    if (event.type === 'finished') {
      const units = Math.ceil(event.transcript.durationSeconds);
      await delivery.require(units);
      delivery.deliveredUnits = units;
      if (!reply.raw.headersSent) reply.header(COST_HEADER, delivery.price);
    }
    yield event;
  }
}

async function resultOf(heard: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of heard) if (event.type === 'finished') return event.transcript;
  throw new Error('The transcription ended without a result.');
}
