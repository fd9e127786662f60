import { writeFileSync } from 'node:fs';
import { serveParent } from '../../src/inference/runtime/process/serve-parent.ts';

/** The entry of a worker process that fails on request. */

/** Respond, respond and never end, block the event loop, or exit by SIGKILL. */
export type MisbehavingJob = 'answer' | 'hang' | 'block' | 'die';

serveParent<MisbehavingJob, number, never>(({ modelsRoot }) => ({
  load: async () => undefined,
  loadedEngines: () => {
    // With a `modelsRoot`, the first process of a test never becomes ready.
    if (modelsRoot !== '' && isFirst(modelsRoot)) for (;;);
    return [];
  },
  async run(job, { send }) {
    if (job === 'die') process.kill(process.pid, 'SIGKILL');
    if (job === 'block') for (;;);
    send(process.pid);
    if (job === 'hang') await new Promise(() => {});
  },
}));

/** Whether this is the first process that calls with this path. */
function isFirst(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
