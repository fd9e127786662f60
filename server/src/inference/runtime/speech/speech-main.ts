import { setImmediate as nextTurn } from 'node:timers/promises';
import { packSamples } from '../../../audio/packed-samples.ts';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { activeSpan, runInSpan, traced } from '../../../tracing/tracing.ts';
import { type JobContext, serveParent } from '../process/serve-parent.ts';
import { JobQueue } from './job-queue.ts';
import { KeptVectors } from './kept-vectors.ts';
import { SpeechHost } from './speech-host.ts';
import type { SpeechEvent, SpeechJob } from './speech-job.ts';
import { suppressTransients } from './suppress-transients.ts';

/** Entry point of a speech worker process. Engines are loaded only here, never in the server process. */

serveParent<SpeechJob, SpeechEvent, never>((settings, { beginStep }) => {
  const host = new SpeechHost(settings);
  const vectors = new KeptVectors();
  const queue = new JobQueue({ yieldToEvents: () => nextTurn(), onStep: beginStep });
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    loadSeconds: () => host.loadSeconds(),
    run: (job, context) => speak({ host, queue }, { ...job, utterance: vectors.unpack(job) }, context),
  };
});

async function speak(
  { host, queue }: { readonly host: SpeechHost; readonly queue: JobQueue },
  job: SpeechJob,
  context: JobContext<SpeechEvent, never>,
): Promise<void> {
  const { id, signal, send } = context;
  const { utterance, dueAtMs, isFirstAudio, accountId } = job;
  const engine = await traced('engine.load', () => host.engine(job.engine), { 'mynah.engine': job.engine });
  await host.prepareLanguage(utterance.language);
  if (signal.aborted) return;
  const parts = suppressTransients(engine.speak(utterance, signal));
  const span = activeSpan();
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
      // The queue runs the steps of all jobs; each one belongs to the trace of its own job.
      step: () => (span === undefined ? parts.next() : runInSpan(span, () => tracedStep(parts))),
      onAudio: ({ samples, endsDecoding: _, ...part }, workSeconds) =>
        send({ workSeconds, packed: packSamples(samples), ...part }),
      onEnd: resolve,
      onError: reject,
    });
  });
}

/** One step of an engine: usually one window. The first one includes the front. */
function tracedStep(parts: AsyncIterator<SpeechPart>): Promise<IteratorResult<SpeechPart>> {
  return traced('engine.window', async (window) => {
    const result = await parts.next();
    if (result.done !== true) {
      const { samples, sampleRateHz } = result.value;
      window.setAttributes({ 'mynah.audio.seconds': samples.length / sampleRateHz });
    }
    return result;
  });
}
