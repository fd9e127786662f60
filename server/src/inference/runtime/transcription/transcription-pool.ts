import { fileURLToPath } from 'node:url';
import type {
  HearingEvent,
  HearingInput,
  HearingJob,
  HearingWorkers,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';

/** People who listen to speech notice every pause; nobody notices that a transcript comes a little later. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./transcription-main.js', import.meta.url)),
  niceness: 10,
  title: 'that hears',
};

/** All worker processes that hear. They start with the first job, at a lower priority than those that speak. */
export class HearingPool
  extends OnDemandPool<HearingJob, HearingEvent, HearingInput>
  implements HearingWorkers
{
  constructor(options: OnDemandOptions<HearingJob>) {
    super(KIND, options);
  }

  hear(
    job: HearingJob,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<HearingInput> | undefined },
  ): AsyncGenerator<HearingEvent> {
    return this.run(job, options);
  }
}
