import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '../../../src/inference/runtime/process/serve-parent.ts';

/** A job of the worker: it sends its process id at this interval until it is cancelled. */
export interface TickJob {
  readonly everyMs: number;
}

serveParent<TickJob, number, never>(() => ({
  load: async () => undefined,
  loadedEngines: () => [],
  async run({ everyMs }, { send, signal }) {
    while (!signal.aborted) {
      send(process.pid);
      await sleep(everyMs);
    }
  },
}));
