import { ApiError } from '../../errors.ts';
import { type LiveAudioReader, openLiveAudio } from '../../transcription/live-audio.ts';
import { joinTexts } from '../../transcription/transcript-text.ts';
import type {
  LiveInput,
  TranscriptionModel,
  TranscriptionService,
  TranscriptSegment,
} from '../../transcription/transcription-service.ts';
import { Channel } from '../../workers/channel.ts';
import { toApiError } from '../error-handler.ts';
import { LiveAsrRequestSchema, toLiveAudioFormat, toLiveOptions } from '../schemas/asr-live.ts';
import { toPhraseBody } from '../schemas/transcript.ts';
import { parseBody } from '../validation.ts';
import { CLOSE_CODES } from './close-codes.ts';
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
  readonly input: Channel<LiveInput>;
  readonly reader: LiveAudioReader;
  readonly done: Promise<void>;
  seconds: number;
  /** Nobody listens any more: it failed, and the client is being told. */
  isOver: boolean;
}

const RATE_HZ = 16_000;

/** Serves one socket until its client leaves: any number of sessions, one after the other. */
export async function serveLiveListening(socket: MessageSocket, deps: LiveListeningDeps): Promise<void> {
  let session: Session | undefined;
  try {
    for await (const message of socket.messages()) {
      switch (message.event) {
        case 'start':
          if (session !== undefined) throw new ApiError('invalid_request', '`start` came twice.');
          session = await begin(message, socket, deps);
          break;
        case 'audio':
          hear(openSession(session), message.audio, deps.maxSeconds);
          break;
        case 'flush':
          openSession(session).input.push('flush');
          break;
        case 'stop':
          session?.input.end();
          await session?.done;
          if (session === undefined) socket.send({ event: 'finish', reason: 'stop', text: '', duration: 0 });
          session = undefined;
      }
    }
  } catch (error) {
    // The work of a session tells its own faults; what comes here was sent wrongly.
    const { code, message, status } = toApiError(error);
    if (status >= 500) deps.onFault(error);
    socket.send({ event: 'finish', reason: 'error', message, code });
    socket.close(CLOSE_CODES.normal, code);
  } finally {
    session?.input.end();
  }
}

async function begin(
  message: SocketMessage,
  socket: MessageSocket,
  deps: LiveListeningDeps,
): Promise<Session> {
  const request = parseBody(LiveAsrRequestSchema, message.request ?? {});
  const options = toLiveOptions(request, deps.model);
  const reader = await openLiveAudio(toLiveAudioFormat(request));
  const input = new Channel<LiveInput>(() => {});
  const session: Session = { input, reader, seconds: 0, isOver: false, done: Promise.resolve() };
  const hasPartials = request.partials ?? true;
  return Object.assign(session, { done: tell() });

  async function tell(): Promise<void> {
    const segments: TranscriptSegment[] = [];
    try {
      for await (const event of deps.transcription.listen(options, input, socket.gone)) {
        if (event.type === 'segment') {
          segments.push(event.segment);
          socket.send({ event: 'segment', ...toPhraseBody(event.segment) });
        } else if (hasPartials) {
          const { text, startSeconds, endSeconds } = event;
          socket.send({ event: 'partial', text, start: startSeconds, end: endSeconds });
        }
      }
      await deps.charge(session.seconds);
      const duration = Math.round(session.seconds * 1000) / 1000;
      socket.send({ event: 'finish', reason: 'stop', text: joinTexts(segments), duration });
    } catch (error) {
      if (socket.gone.aborted) return;
      const { code, message: reason, status } = toApiError(error);
      if (status >= 500) deps.onFault(error);
      socket.send({ event: 'finish', reason: 'error', message: reason, code });
      socket.close(CLOSE_CODES.normal, code);
    } finally {
      session.isOver = true;
      reader.close();
    }
  }
}

function openSession(session: Session | undefined): Session {
  if (session === undefined) throw new ApiError('invalid_request', 'Send `start` first.');
  return session;
}

function hear(session: Session, audio: unknown, maxSeconds: number): void {
  if (!(audio instanceof Uint8Array)) throw new ApiError('invalid_request', '`audio` must be binary data.');
  if (session.isOver) return;
  const samples = session.reader.read(audio);
  session.seconds += samples.length / RATE_HZ;
  if (session.seconds > maxSeconds) {
    throw new ApiError('audio_too_long', `The speech is longer than ${maxSeconds} seconds.`);
  }
  if (samples.length > 0) session.input.push(samples);
}
