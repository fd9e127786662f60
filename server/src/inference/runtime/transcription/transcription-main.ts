import type {
  HearingEvent,
  HearingInput,
  HearingJob,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { hear } from '../../../domain/transcription/pipeline/transcribe-recording.ts';
import { serveParent } from '../process/parent-link.ts';
import { HearingHost } from './transcription-host.ts';

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
