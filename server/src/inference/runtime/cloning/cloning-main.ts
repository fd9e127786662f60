import { cloneVoice } from '../../../domain/voices/cloning/clone-voice.ts';
import type { CloningEvent, CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import { designVoices } from '../../../domain/voices/cloning/design-voices.ts';
import { mixVoice } from '../../../domain/voices/cloning/mix-voice.ts';
import { readRecordings } from '../../../domain/voices/intake/read-recordings.ts';
import type { ClonedVoice } from '../../../domain/voices/voice-cloner.ts';
import { serveParent } from '../process/serve-parent.ts';
import { CloningHost } from './cloning-host.ts';

/** Entry point of a cloning worker process. */

serveParent<CloningJob, CloningEvent, never>((settings) => {
  const host = new CloningHost(settings);
  return {
    load: (engine) => host.load(engine),
    loadedEngines: () => host.loadedEngines(),
    loadSeconds: () => host.loadSeconds(),
    async run(job, { signal, ffmpegSlots, send }) {
      const sendVoice = (voice: ClonedVoice) => send({ kind: 'voice', voice });
      switch (job.kind) {
        case 'preload':
          return host.preload();
        case 'read':
          for (const clip of await readRecordings(job, { signal, ffmpegSlots })) send({ kind: 'clip', clip });
          return;
        case 'mix':
          sendVoice(await mixVoice(host.contextFor({ isUrgent: true }), job.parts, signal));
          return;
        case 'design':
          for await (const voice of designVoices(host.contextFor({ isUrgent: true }), job, signal))
            sendVoice(voice);
          return;
        case 'clone': {
          // A request waits for the first voice; a refinement runs in the background.
          const context = host.contextFor({ isUrgent: job.from === undefined });
          for await (const voice of cloneVoice(context, job, signal)) sendVoice(voice);
        }
      }
    },
  };
});
