import type { Setting } from '../setting.ts';
import { integer, number } from '../setting-types.ts';

/** Limits of recordings, transcription jobs and live transcription. */
export const TRANSCRIPTION_SETTINGS = {
  asrUploadMaxBytes: {
    env: 'MYNAH_ASR_UPLOAD_MAX_BYTES',
    schema: integer(1024, 17_179_869_184).default(512 * 1024 * 1024),
    description: 'Maximum size of a recording, in bytes. Above it: 413 `request_too_large`.',
  },
  asrMinSeconds: {
    env: 'MYNAH_ASR_MIN_SECONDS',
    schema: number(0, 3600).default(0.1),
    description: 'Minimum duration of a recording, in seconds. Below it: `audio_too_short`.',
  },
  asrMaxSeconds: {
    env: 'MYNAH_ASR_MAX_SECONDS',
    schema: integer(1, 604_800).default(10_800),
    description: 'Maximum duration of a recording, in seconds. Above it: `audio_too_long`.',
  },
  asrMaxSamples: {
    env: 'MYNAH_ASR_MAX_SAMPLES',
    schema: integer(1_000_000, 1_000_000_000_000).default(3_000_000_000),
    description:
      'Maximum number of decoded samples of a recording (duration × sample rate × channels). Above it: `audio_too_costly`. The default allows 8 hours of 48 kHz stereo.',
  },
  asrMaxCpuSeconds: {
    env: 'MYNAH_ASR_MAX_CPU_SECONDS',
    schema: integer(1, 10_000_000).default(14_400),
    description:
      'Maximum CPU time of the transcription of one recording, in seconds. Above it: `audio_too_costly`.',
  },
  asrQueueMax: {
    env: 'MYNAH_ASR_QUEUE_MAX',
    schema: integer(1, 100_000).default(64),
    description: 'Maximum number of running and queued synchronous transcriptions. Above it: 429.',
  },
  asrLiveIdleSeconds: {
    env: 'MYNAH_ASR_LIVE_IDLE_SECONDS',
    schema: integer(1, 86_400).default(60),
    description: 'Idle timeout of a client of `/v1/asr/live`, in seconds.',
  },
  asrJobsAtOnce: {
    env: 'MYNAH_ASR_JOBS_AT_ONCE',
    schema: integer(1, 64).default(4),
    description:
      'Number of transcription jobs (`async=true`) that run concurrently. They alternate by segment, so that a short recording does not wait for a long one.',
  },
  asrJobsMax: {
    env: 'MYNAH_ASR_JOBS_MAX',
    schema: integer(1, 1_000_000).default(100),
    description: 'Maximum number of running and queued transcription jobs (`async=true`). Above it: 429.',
  },
  asrJobsPerAccountMax: {
    env: 'MYNAH_ASR_JOBS_PER_ACCOUNT_MAX',
    schema: integer(1, 1_000_000).default(50),
    description:
      'Maximum number of running and queued transcription jobs (`async=true`) per account. Above it: 429.',
  },
  asrFollowersMax: {
    env: 'MYNAH_ASR_FOLLOWERS_MAX',
    schema: integer(1, 100_000).default(32),
    description:
      'Maximum number of event streams of transcription jobs (`GET /v1/asr/{id}`) per account. Above it: 429.',
  },
  asrJobLeaseSeconds: {
    env: 'MYNAH_ASR_JOB_LEASE_SECONDS',
    schema: integer(1, 3600).default(15),
    description:
      'Lease of a transcription job or an audiobook, in seconds. A job whose server has died or stalled is continued by another after this time.',
  },
  asrJobRetentionHours: {
    env: 'MYNAH_ASR_JOB_RETENTION_HOURS',
    schema: number(0, 87_600).default(168),
    description: 'Retention of the result of a transcription job after its end, in hours.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
