import { hear } from '../hearing/hear.ts';
import type { HearingEvent, HearingInput, HearingJob } from '../hearing/hearing-job.ts';
import { HearingHost } from './hearing-host.ts';
import { serveParent } from './parent-link.ts';

/** The entry of a worker process that hears. */

serveParent<HearingJob, HearingEvent, HearingInput>((settings) => {
  const host = new HearingHost(settings);
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    async run(job, { signal, input, send }) {
      const context = host.contextFor({ isLive: job.source.kind === 'stream', input });
      for await (const event of hear(context, job, signal)) send(event);
    },
  };
});
