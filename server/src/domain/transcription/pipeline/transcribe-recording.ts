import type { AsrEvent, AsrTask, AsrTaskContext } from './asr-task.ts';
import { ChannelTranscriber } from './channel-transcriber.ts';
import { RecordingReader } from './recording-reader.ts';
import { SegmentMerge } from './segment-merge.ts';
import { transcribeStream } from './transcribe-stream.ts';

/** Long pauses give long segments, which have more context and higher accuracy. */
const FILE_PAUSES = { early: 2, usual: 2, late: 0.4 };
/** Estimated cost of decoding and resampling. It runs outside the models, where the CPU time of a task is unknown. */
const DECODED_SAMPLES_PER_CPU_SECOND = 50e6;
/** Interval of progress events without speech. */
const PROGRESS_EVERY_SECONDS = 10;

/** Runs one task: decoding, voice activity detection, segmentation at pauses, and ASR of each segment. */
export function transcribeRecording(
  context: AsrTaskContext,
  task: AsrTask,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  return task.source.kind === 'file'
    ? transcribeFile(context, task, task.source.path, signal)
    : transcribeStream(context, task, signal);
}

/** Transcribes a file in constant memory. */
async function* transcribeFile(
  context: AsrTaskContext,
  task: AsrTask,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  const { startSeconds = 0, minSeconds = 0, maxSeconds = Number.POSITIVE_INFINITY, ffmpegPath } = task;
  const { isSplit = false, samplesMax } = task;
  const { ffmpegSlots } = context;
  const options = { startSeconds, minSeconds, maxSeconds, samplesMax, ffmpegPath, ffmpegSlots, isSplit };
  const recording = new RecordingReader(path, options);
  const channels: ChannelTranscriber[] = [];
  const merge = new SegmentMerge();
  let reportedSeconds = Number.NEGATIVE_INFINITY;
  let countedSamples = 0;
  for await (const tracks of recording.tracks(signal)) {
    context.addCpuSeconds((recording.decodedSamples - countedSamples) / DECODED_SAMPLES_PER_CPU_SECOND);
    countedSamples = recording.decodedSamples;
    for (const [channel, samples] of tracks.entries()) {
      channels[channel] ??= await ChannelTranscriber.open(context, task, FILE_PAUSES);
      for await (const segment of channels[channel].transcribe(
        await channels[channel].push(samples),
        signal,
      )) {
        merge.add(channel, isSplit ? { ...segment, channel } : segment);
      }
    }
    const { segments, processedSeconds } = merge.settle(
      channels.map((transcriber) => transcriber.settledSeconds),
    );
    yield* segments;
    if (segments.length === 0 && processedSeconds < reportedSeconds + PROGRESS_EVERY_SECONDS) continue;
    reportedSeconds = processedSeconds;
    yield { type: 'progress', processedSeconds, fraction: recording.fraction, channels: channels.length };
  }
  for (const [channel, transcriber] of channels.entries()) {
    for await (const segment of transcriber.transcribe(await transcriber.finish(), signal)) {
      merge.add(channel, isSplit ? { ...segment, channel } : segment);
    }
  }
  yield* merge.settle(channels.map(() => Number.POSITIVE_INFINITY)).segments;
  const tracks = { channels: Math.max(1, channels.length) };
  yield { type: 'progress', processedSeconds: recording.seconds, fraction: 1, ...tracks };
  yield { type: 'end', durationSeconds: recording.seconds, ...tracks };
}
