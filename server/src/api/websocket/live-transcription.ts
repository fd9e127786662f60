import { AsyncQueue } from '../../concurrency/async-queue.ts';
import { type LiveAudioReader, openLiveAudio } from '../../domain/transcription/live-audio.ts';
import { joinTexts } from '../../domain/transcription/transcript-text.ts';
import type {
  LiveInput,
  TranscriptionModel,
  TranscriptionService,
  TranscriptSegment,
} from '../../domain/transcription/transcription-service.ts';
import { ApiError } from '../../errors.ts';
import { LiveAsrRequestSchema, toLiveAudioFormat, toLiveOptions } from '../schemas/asr-live.ts';
import { toPhraseBody } from '../schemas/transcript.ts';
import { toApiError } from '../wire/error-handler.ts';
import { parseBody } from '../wire/validation.ts';
import { AudioBacklog } from './audio-backlog.ts';
import { CLOSE_CODES, closeCodeOf } from './close-codes.ts';
import type { TranscriptionSocket } from './transcription-socket.ts';

export interface LiveTranscriptionDeps {
  readonly transcription: Pick<TranscriptionService, 'transcribeLive'>;
  readonly model: TranscriptionModel;
  /** Maximum audio per session. */
  readonly maxSeconds: number;
  /** Charges transcribed audio. */
  readonly charge: (seconds: number) => Promise<void>;
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
  /** Transcription has ended; further audio is ignored. */
  isOver: boolean;
}

const SAMPLE_RATE_HZ = 16_000;
/** Received but untranscribed audio above which the server stops reading. */
const BACKLOG_MAX_SECONDS = 30;

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
          if (session !== undefined) throw protocolError('`start` was sent twice.');
          session = await startSession(frame.request, connection, deps);
          break;
        case 'audio':
          await receiveAudio(requireSession(session), frame.audio, deps.maxSeconds);
          break;
        case 'flush':
          requireSession(session).input.push('flush');
          break;
        case 'stop':
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
  const options = toLiveOptions(request, deps.model);
  const reader = await openLiveAudio(toLiveAudioFormat(request));
  const input = new AsyncQueue<LiveInput>(() => {});
  const backlog = new AudioBacklog(BACKLOG_MAX_SECONDS);
  const session: LiveTranscriptionSession = {
    input,
    reader,
    backlog,
    seconds: 0,
    isOver: false,
    done: Promise.resolve(),
  };
  const hasPartials = request.partials ?? true;
  return Object.assign(session, { done: transcribe() });

  async function transcribe(): Promise<void> {
    const segments: TranscriptSegment[] = [];
    try {
      for await (const event of deps.transcription.transcribeLive(options, input, connection.signal)) {
        if (event.type === 'segment') {
          segments.push(event.segment);
          connection.send({ event: 'segment', ...toPhraseBody(event.segment) });
        } else if (event.type === 'progress') backlog.markProcessed(event.processedSeconds);
        else if (hasPartials) {
          const { text, startSeconds, endSeconds } = event;
          connection.send({ event: 'partial', text, start: startSeconds, end: endSeconds });
        }
      }
      await deps.charge(session.seconds);
      const duration = Math.round(session.seconds * 1000) / 1000;
      connection.send({ event: 'finish', reason: 'stop', text: joinTexts(segments), duration });
    } catch (error) {
      if (!connection.signal.aborted) closeWithError(connection, error, deps.onFault);
      // A client that disconnects pays for the segments it was sent.
      else await deps.charge(segments.at(-1)?.endSeconds ?? 0).catch(deps.onFault);
    } finally {
      session.isOver = true;
      backlog.close();
      reader.close();
    }
  }
}

function requireSession(session: LiveTranscriptionSession | undefined): LiveTranscriptionSession {
  if (session === undefined) throw protocolError('Send `start` first.');
  return session;
}

function protocolError(message: string): ApiError {
  return new ApiError('live_protocol', message);
}

async function receiveAudio(
  session: LiveTranscriptionSession,
  audio: Uint8Array,
  maxSeconds: number,
): Promise<void> {
  if (session.isOver) return;
  const samples = session.reader.read(audio);
  session.seconds += samples.length / SAMPLE_RATE_HZ;
  if (session.seconds > maxSeconds) {
    throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
  }
  if (samples.length > 0) session.input.push(samples);
  await session.backlog.add(samples.length / SAMPLE_RATE_HZ);
}
