import type { CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import { designVoices } from '../../../domain/voices/cloning/design-voices.ts';
import { findVoice } from '../../../domain/voices/cloning/find-voice.ts';
import { mixVoice } from '../../../domain/voices/cloning/mix-voice.ts';
import type { ClonedVoice } from '../../../domain/voices/voice-cloner.ts';
import { serveParent } from '../process/parent-link.ts';
import { CloningHost } from './cloning-host.ts';

/** The entry of a worker process that finds voices. */

serveParent<CloningJob, ClonedVoice, never>((settings) => {
  const host = new CloningHost(settings);
  return {
    load: (engine) => host.load(engine),
    loadedEngines: () => host.loadedEngines(),
    async run(job, { signal, send }) {
      if ('isGettingReady' in job) return host.getReady();
      if ('mix' in job) {
        send(await mixVoice(host.contextFor({ isUrgent: true }), job.mix, signal));
        return;
      }
      if ('wish' in job) {
        for await (const voice of designVoices(host.contextFor({ isUrgent: true }), job, signal)) send(voice);
        return;
      }
      // Whoever waits for a first voice goes before those that only get better.
      const context = host.contextFor({ isUrgent: job.from === undefined });
      for await (const voice of findVoice(context, job, signal)) send(voice);
    },
  };
});
