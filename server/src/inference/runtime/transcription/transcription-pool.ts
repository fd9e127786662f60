import { fileURLToPath } from 'node:url';
import type {
  AsrEvent,
  AsrInput,
  AsrTask,
  AsrWorkers,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';

/** Speech is sensitive to underruns, a transcript is not: the niceness is above that of all other workers. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./transcription-main.js', import.meta.url)),
  niceness: 10,
  displayName: 'transcription worker',
};

/** The transcription worker processes. They start with the first task and run at a lower priority than speech. */
export class TranscriptionPool extends OnDemandPool<AsrTask, AsrEvent, AsrInput> implements AsrWorkers {
  constructor(options: OnDemandOptions<AsrTask>) {
    super(KIND, options);
  }

  transcribe(
    task: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncGenerator<AsrEvent> {
    return this.run(task, options);
  }
}
