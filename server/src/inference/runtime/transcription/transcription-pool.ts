import { fileURLToPath } from 'node:url';
import type {
  AsrEvent,
  AsrInput,
  AsrTask,
  AsrWorkers,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';

/** People who listen to speech notice every pause; nobody notices that a transcript comes a little later. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./transcription-main.js', import.meta.url)),
  niceness: 10,
  title: 'that hears',
};

/** All worker processes that hear. They start with the first job, at a lower priority than those that speak. */
export class TranscriptionPool extends OnDemandPool<AsrTask, AsrEvent, AsrInput> implements AsrWorkers {
  constructor(options: OnDemandOptions<AsrTask>) {
    super(KIND, options);
  }

  transcribe(
    job: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncGenerator<AsrEvent> {
    return this.run(job, options);
  }
}
