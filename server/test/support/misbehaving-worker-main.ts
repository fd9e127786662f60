import { writeFileSync } from 'node:fs';
import { serveParent } from '../../src/inference/runtime/process/parent-link.ts';

/** The entry of a worker process that does what tests need of bad ones. */

/** What it is to do: answer, never come back, block all else, or die. */
export type UnrulyJob = 'answer' | 'hang' | 'block' | 'die';

serveParent<UnrulyJob, number, never>(({ modelsRoot }) => ({
  load: async () => undefined,
  loadedEngines: () => {
    // The first process of a test that says so is never ready.
    if (modelsRoot !== '' && isFirst(modelsRoot)) for (;;);
    return [];
  },
  async run(job, { send }) {
    if (job === 'die') process.kill(process.pid, 'SIGKILL');
    if (job === 'block') for (;;);
    if (job === 'hang') await new Promise(() => {});
    send(process.pid);
  },
}));

/** Whether no process was here before. */
function isFirst(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
