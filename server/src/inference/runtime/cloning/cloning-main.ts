import { cloneVoice } from '../../../domain/voices/cloning/clone-voice.ts';
import type { CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import { designVoices } from '../../../domain/voices/cloning/design-voices.ts';
import { mixVoice } from '../../../domain/voices/cloning/mix-voice.ts';
import type { ClonedVoice } from '../../../domain/voices/voice-cloner.ts';
import { serveParent } from '../process/serve-parent.ts';
import { CloningHost } from './cloning-host.ts';

/** Entry point of a cloning worker process. */

serveParent<CloningJob, ClonedVoice, never>((settings) => {
  const host = new CloningHost(settings);
  return {
    load: (engine) => host.load(engine),
    loadedEngines: () => host.loadedEngines(),
    async run(job, { signal, send }) {
      switch (job.kind) {
        case 'preload':
          return host.preload();
        case 'mix':
          send(await mixVoice(host.contextFor({ isUrgent: true }), job.parts, signal));
          return;
        case 'design':
          for await (const voice of designVoices(host.contextFor({ isUrgent: true }), job, signal))
            send(voice);
          return;
        case 'clone': {
          // A request waits for the first voice; a refinement runs in the background.
          const context = host.contextFor({ isUrgent: job.from === undefined });
          for await (const voice of cloneVoice(context, job, signal)) send(voice);
        }
      }
    },
  };
});
