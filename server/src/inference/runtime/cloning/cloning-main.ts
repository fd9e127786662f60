import { cloneVoice } from '../../../domain/voices/cloning/clone-voice.ts';
import { cloneWithSearch } from '../../../domain/voices/cloning/clone-with-search.ts';
import type { CloningEvent, CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import { convertPart } from '../../../domain/voices/cloning/convert-part.ts';
import { designVoices } from '../../../domain/voices/cloning/design-voices.ts';
import { mixVoice } from '../../../domain/voices/cloning/mix-voice.ts';
import { readRecordings } from '../../../domain/voices/intake/read-recordings.ts';
import type { ClonedVoice, MixPart } from '../../../domain/voices/voice-cloner.ts';
import { type JobContext, serveParent } from '../process/serve-parent.ts';
import { CloningHost } from './cloning-host.ts';

/** Entry point of a cloning worker process. */

/** Mixes voices of one engine. With clones of Kokoro among them, other voices are cloned from their speech first. */
async function mixVoices(host: CloningHost, parts: readonly MixPart[], signal: AbortSignal) {
  const speakers = host.contextFor({ isUrgent: true, signal });
  if (parts.every(({ engine }) => engine === 'vits')) return mixVoice(speakers, parts, signal);
  const clones = host.contextFor({ isUrgent: true, signal, engine: 'kokoro-fast' });
  const converted: MixPart[] = [];
  for (const part of parts) converted.push(await convertPart(part, { speakers, clones }, signal));
  return mixVoice(clones, converted, signal);
}

/** A request waits for the voices of the job; a refinement runs in the background. */
function isUrgent(job: CloningJob): boolean {
  return job.kind === 'mix' || job.kind === 'design' || (job.kind === 'clone' && job.from === undefined);
}

serveParent<CloningJob, CloningEvent, never>((settings) => {
  const host = new CloningHost(settings);
  return {
    load: (engine) => host.load(engine),
    loadedEngines: () => host.loadedEngines(),
    loadSeconds: () => host.loadSeconds(),
    async run(job, context) {
      const release = isUrgent(job) ? host.holdBackground() : undefined;
      try {
        await run(host, job, context);
      } finally {
        release?.();
      }
    },
  };
});

async function run(
  host: CloningHost,
  job: CloningJob,
  { signal, ffmpegSlots, send }: JobContext<CloningEvent, never>,
): Promise<void> {
  const sendVoice = (voice: ClonedVoice) => send({ kind: 'voice', voice });
  switch (job.kind) {
    case 'preload':
      return host.preload(job.engine);
    case 'read':
      for (const clip of await readRecordings(job, { signal, ffmpegSlots })) send({ kind: 'clip', clip });
      return;
    case 'mix':
      sendVoice(await mixVoices(host, job.parts, signal));
      return;
    case 'design':
      for await (const voice of designVoices(host.contextFor({ isUrgent: true, signal }), job, signal))
        sendVoice(voice);
      return;
    case 'clone': {
      const context = host.contextFor({ isUrgent: isUrgent(job), signal, engine: job.engine });
      const clone = job.engine === 'vits' ? cloneVoice : cloneWithSearch;
      for await (const voice of clone(context, job, signal)) sendVoice(voice);
    }
  }
}
