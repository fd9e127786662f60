import { AsyncQueue } from '../../concurrency/async-queue.ts';
import type { TranscriptionCharge } from '../../domain/accounts/metering/transcription-charge.ts';
import { type LiveAudioReader, openLiveAudio } from '../../domain/transcription/live-audio.ts';
import { joinTexts } from '../../domain/transcription/transcript-text.ts';
import type {
  LiveInput,
  LiveTranscriptionEvent,
  TranscriptionModel,
  TranscriptionService,
  TranscriptSegment,
} from '../../domain/transcription/transcription-service.ts';
import { ApiError } from '../../errors.ts';
import { LiveAsrRequestSchema, toLiveAudioFormat, toLiveOptions } from '../schemas/transcription/asr-live.ts';
import { toPhraseBody } from '../schemas/transcription/transcript.ts';
import { toApiError } from '../wire/error-handler.ts';
import { parseBody } from '../wire/validation.ts';
import { AudioBacklog } from './audio-backlog.ts';
import { CLOSE_CODES, closeCodeOf } from './close-codes.ts';
import type { TranscriptionServerFrame } from './live-transcription-frames.ts';
import type { TranscriptionSocket } from './transcription-socket.ts';

export interface LiveTranscriptionDeps {
  readonly transcription: Pick<TranscriptionService, 'transcribeLive'>;
  readonly model: TranscriptionModel;
  readonly accountId: string;
  /** Maximum audio per session. */
  readonly maxSeconds: number;
  /** Opens the charge of a session. */
  readonly openCharge: () => Promise<Pick<TranscriptionCharge, 'hold' | 'settle'>>;
  readonly onFault: (error: unknown) => void;
}

/** One live transcription session, from `start` to `stop`. */
interface LiveTranscriptionSession {
  readonly input: AsyncQueue<LiveInput>;
  readonly reader: LiveAudioReader;
  readonly done: Promise<void>;
  readonly backlog: AudioBacklog;
  /** Received audio. */
  seconds: number;
  /** Position of the last flush. */
  flushedSeconds: number;
  /** Samples that are not sent to the engine yet, because they are few. */
  pending: Float32Array[];
  pendingSamples: number;
  /** Bytes of a message that are decoded at a time. */
  readonly sliceBytes: number;
  /** Transcription has ended; further audio is ignored. */
  isOver: boolean;
}

const SAMPLE_RATE_HZ = 16_000;
/** Received but untranscribed audio above which the server stops reading. */
const BACKLOG_MAX_SECONDS = 30;

/** Bytes of PCM that are decoded at a time. A message of several megabytes would expand to many times its size. */
const SLICE_BYTES = 64 * 1024;
/** Least audio per input of the engine, 20 ms. A client may send single samples. */
const INPUT_SAMPLES_MIN = SAMPLE_RATE_HZ / 50;
/** Least audio between two flushes. Together with the backlog it limits the flushes ahead of the engine. */
const FLUSH_SECONDS_MIN = 0.1;

/** The part of a transcription socket that sessions use. */
export type TranscriptionConnection = Pick<TranscriptionSocket, 'frames' | 'send' | 'close' | 'signal'>;

/** Serves any number of consecutive sessions until the client disconnects. */
export async function serveSessions(
  connection: TranscriptionConnection,
  deps: LiveTranscriptionDeps,
): Promise<void> {
  let session: LiveTranscriptionSession | undefined;
  try {
    for await (const frame of connection.frames()) {
      switch (frame.event) {
        case 'start':
          if (session !== undefined) throw createProtocolError('`start` was sent twice.');
          session = await startSession(frame.request, connection, deps);
          break;
        case 'audio':
          await receiveAudio(requireSession(session), frame.audio, deps.maxSeconds);
          break;
        case 'flush':
          flush(requireSession(session));
          break;
        case 'stop':
          if (session) pushPending(session);
          session?.input.end();
          await session?.done;
          if (session === undefined) {
            connection.send({ event: 'finish', reason: 'stop', text: '', duration: 0 });
          }
          session = undefined;
          break;
      }
    }
  } catch (error) {
    const isIdle = session === undefined && toApiError(error).code === 'live_silence';
    if (isIdle) connection.close(CLOSE_CODES.normal, 'idle');
    else closeWithError(connection, error, deps.onFault);
  } finally {
    session?.input.end();
  }
}

/** Sends an `error` frame and a `finish` frame, as live speech does, and closes the socket. */
export function closeWithError(
  connection: TranscriptionConnection,
  error: unknown,
  onFault: (error: unknown) => void,
): void {
  const { code, message, status } = toApiError(error);
  if (status >= 500) onFault(error);
  connection.send({ event: 'error', error: message, code });
  connection.send({ event: 'finish', reason: 'error', message });
  connection.close(closeCodeOf(code), code);
}

async function startSession(
  body: unknown,
  connection: TranscriptionConnection,
  deps: LiveTranscriptionDeps,
): Promise<LiveTranscriptionSession> {
  const request = parseBody(LiveAsrRequestSchema, body ?? {});
  const options = { ...toLiveOptions(request, deps.model), accountId: deps.accountId };
  const format = toLiveAudioFormat(request);
  const reader = await openLiveAudio(format);
  const input = new AsyncQueue<LiveInput>(() => {});
  const backlog = new AudioBacklog(BACKLOG_MAX_SECONDS);
  const session: LiveTranscriptionSession = {
    input,
    reader,
    backlog,
    seconds: 0,
    flushedSeconds: 0,
    pending: [],
    pendingSamples: 0,
    // An Opus packet is decoded as a whole.
    sliceBytes: format.encoding === 'pcm' ? SLICE_BYTES : Number.POSITIVE_INFINITY,
    isOver: false,
    done: Promise.resolve(),
  };
  const hasPartials = request.partials ?? true;
  return Object.assign(session, { done: transcribe() });

  async function transcribe(): Promise<void> {
    const segments: TranscriptSegment[] = [];
    let processedSeconds = 0;
    let charge: Awaited<ReturnType<LiveTranscriptionDeps['openCharge']>> | undefined;
    try {
      charge = await deps.openCharge();
      for await (const event of deps.transcription.transcribeLive(options, input, connection.signal)) {
        const position = positionOf(event);
        if (event.type === 'progress') backlog.markProcessed(position);
        else if (event.type === 'segment' || hasPartials) {
          // Text is sent only when its price is held.
          await charge.hold(position);
          if (event.type === 'segment') segments.push(event.segment);
          connection.send(toServerFrame(event));
        }
        processedSeconds = Math.max(processedSeconds, position);
      }
      processedSeconds = session.seconds;
      await charge.hold(processedSeconds);
      await charge.settle(processedSeconds);
      const duration = Math.round(session.seconds * 1000) / 1000;
      connection.send({ event: 'finish', reason: 'stop', text: joinTexts(segments), duration });
    } catch (error) {
      // Every end of a session is charged: the client has received the text of the processed audio.
      await charge?.settle(processedSeconds).catch(deps.onFault);
      if (!connection.signal.aborted) closeWithError(connection, error, deps.onFault);
    } finally {
      session.isOver = true;
      backlog.close();
      reader.close();
    }
  }
}

/** The position up to which the event covers the audio, in seconds. */
function positionOf(event: LiveTranscriptionEvent): number {
  if (event.type === 'progress') return event.processedSeconds;
  return event.type === 'segment' ? event.segment.endSeconds : event.endSeconds;
}

function toServerFrame(
  event: Exclude<LiveTranscriptionEvent, { readonly type: 'progress' }>,
): TranscriptionServerFrame {
  if (event.type === 'segment') return { event: 'segment', ...toPhraseBody(event.segment) };
  return { event: 'partial', text: event.text, start: event.startSeconds, end: event.endSeconds };
}

function requireSession(session: LiveTranscriptionSession | undefined): LiveTranscriptionSession {
  if (session === undefined) throw createProtocolError('Send `start` first.');
  return session;
}

function createProtocolError(message: string): ApiError {
  return new ApiError('live_protocol', message);
}

async function receiveAudio(
  session: LiveTranscriptionSession,
  audio: Uint8Array,
  maxSeconds: number,
): Promise<void> {
  const { sliceBytes } = session;
  let offset = 0;
  do {
    if (session.isOver) return;
    const samples = session.reader.read(audio.subarray(offset, offset + sliceBytes));
    session.seconds += samples.length / SAMPLE_RATE_HZ;
    if (session.seconds > maxSeconds) {
      throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
    }
    if (samples.length > 0) session.pending.push(samples);
    session.pendingSamples += samples.length;
    if (session.pendingSamples >= INPUT_SAMPLES_MIN) pushPending(session);
    await session.backlog.add(samples.length / SAMPLE_RATE_HZ);
    offset += sliceBytes;
  } while (offset < audio.length);
}

/** Sends the collected samples to the engine. */
function pushPending(session: LiveTranscriptionSession): void {
  const [first] = session.pending;
  if (first === undefined || session.pendingSamples === 0) return;
  const samples = session.pending.length === 1 ? first : joinSamples(session);
  session.pending = [];
  session.pendingSamples = 0;
  session.input.push(samples);
}

function joinSamples({ pending, pendingSamples }: LiveTranscriptionSession): Float32Array {
  const joined = new Float32Array(pendingSamples);
  let offset = 0;
  for (const samples of pending) {
    joined.set(samples, offset);
    offset += samples.length;
  }
  return joined;
}

/** Finalizes the open segment, unless it has almost no audio. */
function flush(session: LiveTranscriptionSession): void {
  if (session.seconds - session.flushedSeconds < FLUSH_SECONDS_MIN) return;
  session.flushedSeconds = session.seconds;
  pushPending(session);
  session.input.push('flush');
}
