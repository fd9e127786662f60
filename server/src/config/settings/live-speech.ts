import type { Setting } from '../setting.ts';
import { integer } from '../setting-types.ts';

/** Limits of WebSockets that send text for speech. */
export const LIVE_SPEECH_SETTINGS = {
  liveBufferMaxChars: {
    env: 'MYNAH_LIVE_BUFFER_MAX_CHARS',
    schema: integer(100, 100_000_000).default(200_000),
    description:
      'Maximum text buffered in a live session, in characters. Above it the session ends with an error.',
  },
  liveSocketsMax: {
    env: 'MYNAH_LIVE_SOCKETS_MAX',
    schema: integer(0, 1_000_000).default(1000),
    description:
      'Maximum number of open live sockets, of all servers on a PostgreSQL database together. Above it: 429.',
  },
  liveSocketMaxBytes: {
    env: 'MYNAH_LIVE_SOCKET_MAX_BYTES',
    schema: integer(65_536, 1e12).default(32 * 1024 * 1024),
    description:
      'Maximum audio and text of one WebSocket in memory that is not processed yet, in bytes. Above it the server stops reading (live transcription) or refuses more (live speech, OpenAI realtime).',
  },
  liveAccountMaxBytes: {
    env: 'MYNAH_LIVE_ACCOUNT_MAX_BYTES',
    schema: integer(65_536, 1e12).default(128 * 1024 * 1024),
    description:
      'The same for all WebSockets of an account together. Applies separately to messages that are received only in part; above it a socket is closed with 1013.',
  },
  liveFramesPerSecond: {
    env: 'MYNAH_LIVE_FRAMES_PER_SECOND',
    schema: integer(10, 1_000_000).default(1000),
    description:
      'Maximum rate at which messages and pings of one WebSocket are read, in frames per second. A client may send twice as many at once; above that the server reads more slowly.',
  },
  liveIdleSeconds: {
    env: 'MYNAH_LIVE_IDLE_SECONDS',
    schema: integer(1, 86_400).default(60),
    description: 'Idle timeout of a live socket without a session, in seconds.',
  },
  liveSilenceSeconds: {
    env: 'MYNAH_LIVE_SILENCE_SECONDS',
    schema: integer(1, 86_400).default(600),
    description: 'Idle timeout of a live session in which neither side sends anything, in seconds.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
