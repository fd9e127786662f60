import type { FastifyReply } from 'fastify';
import { TranscriptionCharge, unitsOf } from '../../domain/accounts/metering/transcription-charge.ts';
import { TranscribedAudio } from '../../domain/transcription/transcribed-audio.ts';
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
  | {
      readonly kind: 'document';
      readonly write: (transcript: Transcript) => TranscriptResponse | Promise<TranscriptResponse>;
    }
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
 * Transcribes a recording and sends the transcript. The duration is known only at the end, so the price is held while
 * the work goes on, before the text of the audio is sent. A stream of events is charged for the audio that was
 * transcribed, whatever ends it; a document for the whole recording, or for the transcribed audio when the client
 * disconnects. A document that fails is not charged.
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
    const events = holdEvents(
      deps.transcription.transcribe(
        { ...options, path: audio.path, accountId: request.caller.accountId },
        response.signal,
      ),
      response,
      { reply, isStreamed: output.kind === 'events' },
    );
    if (output.kind === 'events') {
      const record = (bytes: AsyncIterable<Uint8Array>) => response.record(bytes);
      let isFinished = false;
      const watched = watchEnd(events, () => {
        isFinished = true;
      });
      const isComplete = await streamEvents(reply, output.write(watched), { stallMs, record });
      if (isComplete && isFinished) response.store(EVENT_STREAM_HEADERS);
      return;
    }
    const { contentType, body } = await output.write(await transcriptOf(events));
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const headers = { 'content-type': contentType, 'content-length': String(bytes.length) };
    const isComplete = await streamBytes(reply, response.record(toByteStream(bytes)), { headers, stallMs });
    if (isComplete) response.store(headers);
  });
}

/** Passes events through. Holds the price of the audio that each of them covers before it is passed on. */
async function* holdEvents(
  events: AsyncIterable<TranscriptionEvent>,
  response: MeteredResponse,
  { reply, isStreamed }: { readonly reply: FastifyReply; readonly isStreamed: boolean },
): AsyncGenerator<TranscriptionEvent> {
  const charge = new TranscriptionCharge({
    extend: (units) => response.extendHold(units),
    // Settled by `meterRequest`.
    settle: async (units) => {
      response.deliveredUnits = units;
      return 0;
    },
  });
  const transcribed = new TranscribedAudio();
  let isFinished = false;
  try {
    for await (const event of events) {
      await charge.hold(...transcribed.add(event));
      isFinished = event.type === 'finished';
      if (isFinished && !reply.raw.headersSent) {
        reply.header(COST_HEADER, response.priceOf(unitsOf(...transcribed.position)));
      }
      if (isFinished) {
        // More is held than charged. The last event waits for the settlement, so that the client can spend the rest at once.
        await charge.settle(...transcribed.position);
        await response.settle();
      }
      yield event;
    }
  } finally {
    const isCharged = isStreamed || response.signal.aborted;
    if (isCharged && !isFinished) await charge.settle(...transcribed.position);
  }
}

async function* watchEnd(
  events: AsyncIterable<TranscriptionEvent>,
  onFinished: () => void,
): AsyncGenerator<TranscriptionEvent> {
  for await (const event of events) {
    if (event.type === 'finished') onFinished();
    yield event;
  }
}

async function transcriptOf(events: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of events) if (event.type === 'finished') return event.transcript;
  throw new Error('The transcription ended without a result.');
}
