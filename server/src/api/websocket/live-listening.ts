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
import { Backlog } from './backlog.ts';
import { CLOSE_CODES, closeCodeOf } from './close-codes.ts';
import type { MessageSocket, SocketMessage } from './message-socket.ts';

export interface LiveListeningDeps {
  readonly transcription: Pick<TranscriptionService, 'listen'>;
  readonly model: TranscriptionModel;
  /** Longest speech of one session. */
  readonly maxSeconds: number;
  /** Takes the price of what was heard. */
  readonly charge: (seconds: number) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

/** One `start` … `stop`: sound goes in, what was heard goes out. */
interface Session {
  readonly input: AsyncQueue<LiveInput>;
  readonly reader: LiveAudioReader;
  readonly done: Promise<void>;
  readonly backlog: Backlog;
  seconds: number;
  /** Nobody listens any more: it failed, and the client is being told. */
  isOver: boolean;
}

const RATE_HZ = 16_000;
/** A client may send so much more than was heard; then it is made to wait. */
const AHEAD_SECONDS_MAX = 30;

/** Where messages come from, and where they go. */
export type ListeningSocket = Pick<MessageSocket, 'messages' | 'send' | 'close' | 'gone'>;

/** Serves one socket until its client leaves: any number of sessions, one after the other. */
export async function serveLiveListening(socket: ListeningSocket, deps: LiveListeningDeps): Promise<void> {
  let session: Session | undefined;
  try {
    for await (const message of socket.messages()) {
      switch (message.event) {
        case 'start':
          if (session !== undefined) throw outOfOrder('`start` came twice.');
          session = await begin(message, socket, deps);
          break;
        case 'audio':
          await hear(openSession(session), message.audio, deps.maxSeconds);
          break;
        case 'flush':
          openSession(session).input.push('flush');
          break;
        case 'stop':
          session?.input.end();
          await session?.done;
          if (session === undefined) socket.send({ event: 'finish', reason: 'stop', text: '', duration: 0 });
          session = undefined;
          break;
        default:
          throw outOfOrder('The `event` of a frame is `start`, `audio`, `flush` or `stop`.');
      }
    }
  } catch (error) {
    const isIdle = session === undefined && toApiError(error).code === 'live_silence';
    if (isIdle) socket.close(CLOSE_CODES.normal, 'idle');
    else refuse(socket, error, deps.onFault);
  } finally {
    session?.input.end();
  }
}

/** Says what went wrong, the way live speech does, and closes the socket. */
export function refuse(socket: ListeningSocket, error: unknown, onFault: (error: unknown) => void): void {
  const { code, message, status } = toApiError(error);
  if (status >= 500) onFault(error);
  socket.send({ event: 'error', error: message, code });
  socket.send({ event: 'finish', reason: 'error', message });
  socket.close(closeCodeOf(code), code);
}

async function begin(
  message: SocketMessage,
  socket: ListeningSocket,
  deps: LiveListeningDeps,
): Promise<Session> {
  const request = parseBody(LiveAsrRequestSchema, message.request ?? {});
  const options = toLiveOptions(request, deps.model);
  const reader = await openLiveAudio(toLiveAudioFormat(request));
  const input = new AsyncQueue<LiveInput>(() => {});
  const backlog = new Backlog(AHEAD_SECONDS_MAX);
  const session: Session = { input, reader, backlog, seconds: 0, isOver: false, done: Promise.resolve() };
  const hasPartials = request.partials ?? true;
  return Object.assign(session, { done: tell() });

  async function tell(): Promise<void> {
    const segments: TranscriptSegment[] = [];
    try {
      for await (const event of deps.transcription.listen(options, input, socket.gone)) {
        if (event.type === 'segment') {
          segments.push(event.segment);
          socket.send({ event: 'segment', ...toPhraseBody(event.segment) });
        } else if (event.type === 'progress') backlog.heard(event.processedSeconds);
        else if (hasPartials) {
          const { text, startSeconds, endSeconds } = event;
          socket.send({ event: 'partial', text, start: startSeconds, end: endSeconds });
        }
      }
      await deps.charge(session.seconds);
      const duration = Math.round(session.seconds * 1000) / 1000;
      socket.send({ event: 'finish', reason: 'stop', text: joinTexts(segments), duration });
    } catch (error) {
      if (!socket.gone.aborted) refuse(socket, error, deps.onFault);
      // Who leaves in the middle has been told of these.
      else await deps.charge(segments.at(-1)?.endSeconds ?? 0).catch(deps.onFault);
    } finally {
      session.isOver = true;
      backlog.close();
      reader.close();
    }
  }
}

function openSession(session: Session | undefined): Session {
  if (session === undefined) throw outOfOrder('Send `start` first.');
  return session;
}

function outOfOrder(message: string): ApiError {
  return new ApiError('live_protocol', message);
}

async function hear(session: Session, audio: unknown, maxSeconds: number): Promise<void> {
  if (!(audio instanceof Uint8Array)) throw new ApiError('invalid_request', '`audio` must be binary data.');
  if (session.isOver) return;
  const samples = session.reader.read(audio);
  session.seconds += samples.length / RATE_HZ;
  if (session.seconds > maxSeconds) {
    throw new ApiError('audio_too_long', `The speech is longer than ${maxSeconds} seconds.`);
  }
  if (samples.length > 0) session.input.push(samples);
  await session.backlog.add(samples.length / RATE_HZ);
}
