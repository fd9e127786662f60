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
    loadSeconds: () => host.loadSeconds(),
    async run(task, { signal, input, ffmpegSlots, send }) {
      const { accountId, cpuSecondsMax } = task;
      const isLive = task.source.kind === 'stream';
      const context = host.contextFor({ isLive, input, accountId, cpuSecondsMax });
      try {
        for await (const event of transcribeRecording({ ...context, ffmpegSlots }, task, signal)) send(event);
      } finally {
        context.close();
      }
    },
  };
});
