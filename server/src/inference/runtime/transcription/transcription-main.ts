import type { AsrEvent, AsrInput, AsrTask } from '../../../domain/transcription/pipeline/asr-task.ts';
import { transcribeRecording } from '../../../domain/transcription/pipeline/transcribe-recording.ts';
import { serveParent } from '../process/serve-parent.ts';
import { TranscriptionHost } from './transcription-host.ts';

/** Entry point of a transcription worker process. */

serveParent<AsrTask, AsrEvent, AsrInput>((settings) => {
  const host = new TranscriptionHost(settings);
  return {
    load: (engine) => host.engine(engine),
    loadedEngines: () => host.loadedEngines(),
    async run(task, { signal, input, send }) {
      const context = host.contextFor({ isLive: task.source.kind === 'stream', input });
      for await (const event of transcribeRecording(context, task, signal)) send(event);
    },
  };
});
