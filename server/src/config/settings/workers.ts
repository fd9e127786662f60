import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { boolean, integer, number } from '../setting-types.ts';

/** Number, threads, memory and timeouts of the processes that run models. */
export const WORKERS_SETTINGS = {
  workers: {
    env: 'MYNAH_WORKERS',
    schema: integer(0, 64).default(0),
    description: 'Number of speech worker processes. 0: one for each core, at most 4.',
  },
  threads: {
    env: 'MYNAH_THREADS',
    schema: integer(0, 64).default(0),
    description:
      'Threads per speech worker process. 0: the cores divided by the number of processes. The networks of `s1` are too small for more than one and always use one.',
  },
  workerMemoryMb: {
    env: 'MYNAH_WORKER_MEMORY_MB',
    schema: integer(256, 1_048_576).default(2048),
    description: 'Memory limit of a worker process in megabytes. A process above it is replaced.',
  },
  workerStartTimeoutSeconds: {
    env: 'MYNAH_WORKER_START_TIMEOUT_S',
    schema: integer(1, 3600).default(120),
    description:
      'Start timeout of a worker process in seconds. A process that is not ready by then is replaced.',
  },
  transcriptionWorkers: {
    env: 'MYNAH_TRANSCRIPTION_WORKERS',
    deprecatedNames: ['MYNAH_HEARING_WORKERS'],
    schema: integer(1, 64).default(1),
    description:
      'Number of transcription worker processes for requests, and as many for jobs (`async=true`). They start with the first recording and run at a lower priority than speech workers, those for jobs at the lowest.',
  },
  liveTranscriptionWorkers: {
    env: 'MYNAH_LIVE_TRANSCRIPTION_WORKERS',
    schema: integer(0, 64).default(1),
    description:
      'Number of worker processes for live transcription. They start with the first live session, so that files do not delay it. 0: live sessions and jobs run in the transcription worker processes, live sessions before files, which saves memory.',
  },
  transcriptionThreads: {
    env: 'MYNAH_TRANSCRIPTION_THREADS',
    deprecatedNames: ['MYNAH_HEARING_THREADS'],
    schema: integer(0, 64).default(0),
    description: 'Threads per transcription worker process. 0: half of the CPU cores.',
  },
  transcriptionIdleSeconds: {
    env: 'MYNAH_TRANSCRIPTION_IDLE_SECONDS',
    deprecatedNames: ['MYNAH_HEARING_IDLE_SECONDS'],
    schema: integer(0, 86_400).default(900),
    description: 'Idle time in seconds after which transcription worker processes end. 0: never.',
  },
  transcriptionAtStart: {
    env: 'MYNAH_TRANSCRIPTION_AT_START',
    deprecatedNames: ['MYNAH_HEARING_AT_START'],
    schema: boolean().default(false),
    description:
      'Whether transcription worker processes start with the server instead of with the first recording.',
  },
  cloningThreads: {
    env: 'MYNAH_CLONING_THREADS',
    schema: integer(1, 64).default(1),
    description:
      'Threads per inference of the voice cloning worker process. A first voice runs two inferences at the same time where there are two cores and 3 GB of memory.',
  },
  cloningIdleSeconds: {
    env: 'MYNAH_CLONING_IDLE_SECONDS',
    schema: integer(0, 86_400).default(300),
    description: 'Idle time in seconds after which the voice cloning worker process ends. 0: never.',
  },
  engineWaitSeconds: {
    env: 'MYNAH_ENGINE_WAIT_SECONDS',
    schema: integer(0, 3600).default(30),
    description:
      'Maximum time in seconds that a request waits for a model download or for a worker process. After it: 503.',
  },
  engineStepMaxSeconds: {
    env: 'MYNAH_ENGINE_STEP_MAX_SECONDS',
    schema: integer(1, 3600).default(60),
    description:
      'Time limit of one step of a speech engine, in seconds. A worker process that exceeds it is replaced. The limit is up to four times as long while a busy machine gives the process little CPU time.',
  },
  failingTextSeconds: {
    env: 'MYNAH_FAILING_TEXT_SECONDS',
    schema: integer(0, 604_800).default(3600),
    description:
      'How long a text is refused with 400 `text_not_synthesizable` after two worker processes were lost on it, in seconds. Only a hash of the text is stored, in memory. 0: such a text is tried again.',
  },
  stockDecoderMaxRtf: {
    env: 'MYNAH_STOCK_DECODER_MAX_RTF',
    schema: number(0, 100).default(0.7),
    description:
      'Maximum real-time factor at which the S2 models use the original Kokoro decoder; on slower machines they use the fast decoder. 0: always the fast decoder.',
  },
  ffmpegPath: {
    env: 'MYNAH_FFMPEG',
    schema: z.string().min(1).default('ffmpeg'),
    description:
      'Path of the FFmpeg executable, used for upload formats that Mynah does not decode itself, for AAC and for M4B.',
  },
  ffmpegMax: {
    env: 'MYNAH_FFMPEG_MAX',
    schema: integer(1, 1000).default(8),
    description:
      'Maximum number of FFmpeg processes of the server. Further uploads in such formats wait; so does speech as AAC, which uses at most half of them, for at most `MYNAH_QUEUE_SECONDS`. A transcription keeps its process until the end of its recording, and speech until the end of the response.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
