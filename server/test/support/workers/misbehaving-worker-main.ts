import { writeFileSync } from 'node:fs';
import { serveParent } from '../../../src/inference/runtime/process/serve-parent.ts';

/** The entry of a worker process that fails on request. */

/**
 * Respond, respond and never end, block the event loop, exit by SIGKILL; the same within a reported step, or a step that
 * never ends without blocking the event loop.
 */
export type MisbehavingJob = 'answer' | 'hang' | 'block' | 'die' | 'step-die' | 'step-block' | 'step-hang';

serveParent<MisbehavingJob, number, never>(({ modelsRoot }, { beginStep }) => ({
  load: async () => undefined,
  loadedEngines: () => {
    // With a `modelsRoot`, the first process of a test never becomes ready.
    if (modelsRoot !== '' && isFirst(modelsRoot)) for (;;);
    return [];
  },
  async run(job, { id, send }) {
    if (job.startsWith('step-')) beginStep(id);
    if (job.endsWith('die')) process.kill(process.pid, 'SIGKILL');
    if (job.endsWith('block')) for (;;);
    send(process.pid);
    if (job.endsWith('hang')) await new Promise(() => {});
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
