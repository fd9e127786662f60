import type { Setting } from '../setting.ts';
import { integer, number } from '../setting-types.ts';

/** Limits of audiobook jobs and of dubs. */
export const LONG_SPEECH_SETTINGS = {
  booksAtOnce: {
    env: 'MYNAH_BOOKS_AT_ONCE',
    schema: integer(1, 64).default(1),
    description: 'Number of audiobooks (`POST /v1/tts/jobs`) that are spoken concurrently.',
  },
  booksMax: {
    env: 'MYNAH_BOOKS_MAX',
    schema: integer(1, 1_000_000).default(100),
    description: 'Maximum number of running, queued and paused audiobooks. Above it: 429.',
  },
  booksPerAccountMax: {
    env: 'MYNAH_BOOKS_PER_ACCOUNT_MAX',
    schema: integer(1, 1_000_000).default(20),
    description: 'Maximum number of running, queued and paused audiobooks per account. Above it: 429.',
  },
  bookMaxChars: {
    env: 'MYNAH_BOOK_MAX_CHARS',
    schema: integer(1, 20_000_000).default(2_500_000),
    description:
      'Maximum length of a book, in characters. Above it: 413. A million characters need about 3 GB of disk until the audiobook is complete.',
  },
  bookUploadMaxBytes: {
    env: 'MYNAH_BOOK_UPLOAD_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(128 * 1024 * 1024),
    description: 'Maximum size of the file of a book, in bytes. Above it: 413.',
  },
  bookRetentionHours: {
    env: 'MYNAH_BOOK_RETENTION_HOURS',
    schema: number(0, 87_600).default(168),
    description: 'Retention of an audiobook after its end, in hours.',
  },
  dubSecondsPerByte: {
    env: 'MYNAH_DUB_SECONDS_PER_BYTE',
    schema: number(0, 86_400).default(1),
    description:
      'Maximum time of the last caption of a dub: MYNAH_SILENCE_MAX_SECONDS plus this many seconds for each UTF-8 byte of the captions, at most 24 hours. The silence between captions is not charged. Above it: 400 `invalid_captions`.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
