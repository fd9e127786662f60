import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MeasuredSpeechPart } from '../../../domain/speech/speech-workers.ts';
import { type JobContext, serveParent } from '../process/serve-parent.ts';
import { JobQueue } from './job-queue.ts';
import { SpeechHost } from './speech-host.ts';
import type { SpeechJob } from './speech-job.ts';
import { suppressTransients } from './suppress-transients.ts';

/** Entry point of a speech worker process. Engines are loaded only here, never in the server process. */

serveParent<SpeechJob, MeasuredSpeechPart, never>((settings, { beginStep }) => {
  const host = new SpeechHost(settings);
  const queue = new JobQueue({ yieldToEvents: () => nextTurn(), onStep: beginStep });
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    run: (job, context) => speak({ host, queue }, job, context),
  };
});

async function speak(
  { host, queue }: { readonly host: SpeechHost; readonly queue: JobQueue },
  job: SpeechJob,
  context: JobContext<MeasuredSpeechPart, never>,
): Promise<void> {
  const { id, signal, send } = context;
  const { utterance, dueAtMs, isFirstAudio, accountId } = job;
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
      accountId,
      step: () => parts.next(),
      onAudio: (part, workSeconds) => send({ workSeconds, ...part }),
      onEnd: resolve,
      onError: reject,
    });
  });
}
