import type { FastifyReply } from 'fastify';
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptionOptions,
} from '../../domain/transcription/transcription-service.ts';
import type { ApiDeps, TranscriptionDeps } from '../dependencies.ts';
import { streamBytes, toByteStream } from '../responses/byte-stream.ts';
import { EVENT_STREAM_HEADERS, type ServerEvent, streamEvents } from '../responses/event-stream.ts';
import type { TranscriptResponse } from '../responses/transcript-response.ts';
import type { UploadedRecording } from '../uploads/uploaded-recording.ts';
import type { Exchange } from './idempotent-request.ts';
import { COST_HEADER, type MeteredResponse, meterRequest } from './metered-request.ts';

/** How a transcript is sent: as one document, or as server-sent events while the work goes on. */
export type TranscriptOutput =
  | { readonly kind: 'document'; readonly write: (transcript: Transcript) => TranscriptResponse }
  | {
      readonly kind: 'events';
      readonly write: (events: AsyncIterable<TranscriptionEvent>) => AsyncIterable<ServerEvent>;
    };

/** A recording to transcribe, and how to send the transcript. */
export interface TranscriptionRequest {
  readonly options: TranscriptionOptions;
  readonly audio: UploadedRecording;
  /** Everything that makes two requests equal, beside the options and the recording. */
  readonly content: readonly unknown[];
  readonly output: TranscriptOutput;
}

/**
 * Transcribes a recording and sends the transcript. The duration is known only at the end, so its price is held
 * and charged just before the result is sent. A transcription that fails is not charged.
 */
export async function meterTranscription(
  deps: Pick<TranscriptionDeps, 'transcription'> & Pick<ApiDeps, 'config' | 'accounting'>,
  { request, reply }: Exchange,
  { options, audio, content, output }: TranscriptionRequest,
): Promise<void> {
  const metered = {
    service: 'asr' as const,
    model: options.model,
    units: 0,
    content: [options, ...content, audio.sha256],
  };
  const stallMs = deps.config.streamStallSeconds * 1000;
  await meterRequest(deps.accounting, { request, reply }, metered, async (response) => {
    // Transcription has its own queue and must not hold back the admission of speech.
    response.begin();
    const events = chargeAtEnd(
      deps.transcription.transcribe({ ...options, path: audio.path }, response.signal),
      response,
      reply,
    );
    if (output.kind === 'events') {
      const record = (bytes: AsyncIterable<Uint8Array>) => response.record(bytes);
      const isComplete = await streamEvents(reply, output.write(events), { stallMs, record });
      if (isComplete && response.deliveredUnits > 0) response.store(EVENT_STREAM_HEADERS);
      return;
    }
    const { contentType, body } = output.write(await transcriptOf(events));
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
    const isComplete = await streamBytes(reply, response.record(toByteStream(bytes)), { headers, stallMs });
    if (isComplete) response.store(headers);
  });
}

/** Passes events through, and holds the price of the recording before the final one. */
async function* chargeAtEnd(
  events: AsyncIterable<TranscriptionEvent>,
  response: MeteredResponse,
  reply: FastifyReply,
): AsyncGenerator<TranscriptionEvent> {
  for await (const event of events) {
    if (event.type === 'finished') {
      const units = Math.ceil(event.transcript.durationSeconds);
      await response.extendHold(units);
      response.deliveredUnits = units;
      if (!reply.raw.headersSent) reply.header(COST_HEADER, response.price);
    }
    yield event;
  }
}

async function transcriptOf(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) if (event.type === 'finished') return event.transcript;
  throw new Error('The transcription ended without a result.');
}
