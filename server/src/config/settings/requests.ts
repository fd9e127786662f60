import type { Setting } from '../setting.ts';
import { integer } from '../setting-types.ts';

/** Limits of the bodies of all requests. */
export const REQUESTS_SETTINGS = {
  bodyMaxBytes: {
    env: 'MYNAH_BODY_MAX_BYTES',
    schema: integer(1024, 1_073_741_824).default(8 * 1024 * 1024),
    description: 'Maximum size of a request body, in bytes. Above it: 413.',
  },
  bodiesMaxBytes: {
    env: 'MYNAH_BODIES_MAX_BYTES',
    schema: integer(1024, 1_099_511_627_776).default(256 * 1024 * 1024),
    description:
      'Maximum total size of JSON and MessagePack bodies in memory, in bytes. Above it: 429. Bodies up to 64 KiB may use a quarter of it in addition. A single body above the limit is accepted when no other large one is in memory. Forms and recordings are written to disk and not counted.',
  },
  bodyTimeoutSeconds: {
    env: 'MYNAH_BODY_TIMEOUT_SECONDS',
    schema: integer(1, 86_400).default(120),
    description:
      'Maximum time in seconds for a client to send a JSON or MessagePack body. After it: 408 `body_timeout`.',
  },
  bodyMinBytesPerSecond: {
    env: 'MYNAH_BODY_MIN_BYTES_PER_SECOND',
    schema: integer(0, 1_000_000_000).default(1000),
    description:
      'Minimum average rate at which a client sends a body, in bytes per second, after the first 10 seconds. Below it: 408 `body_timeout`. 0: no minimum.',
  },
  requestTimeoutSeconds: {
    env: 'MYNAH_REQUEST_TIMEOUT_SECONDS',
    schema: integer(1, 86_400).default(1800),
    description:
      'Maximum time in seconds for a client to send a complete request, such as a long recording. After it: 408.',
  },
  accountUploadsMax: {
    env: 'MYNAH_ACCOUNT_UPLOADS_MAX',
    schema: integer(1, 100_000).default(32),
    description:
      'Maximum number of uploads of an account (recordings and voice forms) that are being received or processed, of all servers on a PostgreSQL database together. Above it: 429 `too_many_uploads`.',
  },
  accountUploadsMaxBytes: {
    env: 'MYNAH_ACCOUNT_UPLOADS_MAX_BYTES',
    schema: integer(1024, 1_099_511_627_776).default(2 * 1024 ** 3),
    description:
      'Maximum total size of these uploads on disk, in bytes. Servers on a PostgreSQL database count together, with a delay of about a second. Above it: 429 `too_many_uploads`. A single upload of an account is not limited by it.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
