import type { AsrEvent, AsrInput, AsrTask } from '../../../domain/transcription/pipeline/asr-task.ts';
import { transcribeRecording } from '../../../domain/transcription/pipeline/transcribe-recording.ts';
import { serveParent } from '../process/parent-link.ts';
import { TranscriptionHost } from './transcription-host.ts';

/** The entry of a worker process that hears. */

serveParent<AsrTask, AsrEvent, AsrInput>((settings) => {
  const host = new TranscriptionHost(settings);
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    async run(job, { signal, input, send }) {
      const context = host.contextFor({ isLive: job.source.kind === 'stream', input });
      for await (const event of transcribeRecording(context, job, signal)) send(event);
    },
  };
});
