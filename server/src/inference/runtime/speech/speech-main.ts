import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MeasuredSpeechPart } from '../../../domain/speech/speech-workers.ts';
import { type JobContext, serveParent } from '../process/serve-parent.ts';
import { JobQueue } from './job-queue.ts';
import { SpeechHost } from './speech-host.ts';
import type { SpeechJob } from './speech-job.ts';
import { suppressTransients } from './suppress-transients.ts';

/** Entry point of a speech worker process. Engines are loaded only here, never in the server process. */

const queue = new JobQueue(() => nextTurn());

serveParent<SpeechJob, MeasuredSpeechPart, never>((settings) => {
  const host = new SpeechHost(settings);
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    run: (job, context) => speak(host, job, context),
  };
});

async function speak(
  host: SpeechHost,
  job: SpeechJob,
  context: JobContext<MeasuredSpeechPart, never>,
): Promise<void> {
  const { id, signal, send } = context;
  const { utterance, dueAtMs, isFirstAudio } = job;
  const engine = await host.engine(job.engine);
  await host.prepareLanguage(utterance.language);
  if (signal.aborted) return;
  const parts = suppressTransients(engine.speak(utterance, signal));
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      queue.remove(id);
      resolve();
    });
    queue.add({
      id,
      dueAtMs,
      isFirstAudio,
      step: () => parts.next(),
      onAudio: (part, workSeconds) => send({ workSeconds, ...part }),
      onEnd: resolve,
      onError: reject,
    });
  });
}
