import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SpeechPart } from '../engines/engine.ts';
import { EngineHost } from './engine-host.ts';
import { JobQueue } from './job-queue.ts';
import { type JobCall, serveParent } from './parent-link.ts';
import type { SpeechJob } from './speech-job.ts';

/** The entry of a worker process that speaks: engines live here, and only here. */

const queue = new JobQueue(() => nextTurn());

serveParent<SpeechJob, SpeechPart, never>((settings) => {
  const host = new EngineHost(settings);
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    run: (job, call) => speak(host, job, call),
  };
});

async function speak(host: EngineHost, job: SpeechJob, call: JobCall<SpeechPart, never>): Promise<void> {
  const { id, signal, send } = call;
  const { utterance, dueAtMs } = job;
  const engine = await host.engine(job.engine);
  await host.prepareLanguage(utterance.language);
  if (signal.aborted) return;
  const parts = engine.speak(utterance, signal)[Symbol.asyncIterator]();
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      queue.remove(id);
      resolve();
    });
    queue.add({ id, dueAtMs, step: () => parts.next(), onAudio: send, onEnd: resolve, onError: reject });
  });
}
