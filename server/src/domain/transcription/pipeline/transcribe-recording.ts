import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';
import type { AsrEvent, AsrTask, AsrTaskContext } from './asr-task.ts';
import { ChannelTranscriber } from './channel-transcriber.ts';
import { RecordingReader } from './recording-reader.ts';
import { SegmentMerge } from './segment-merge.ts';

/** Long pauses give long segments, which have more context and higher accuracy. */
const FILE_PAUSES = { early: 2, usual: 2, late: 0.4 };
/** Short pauses give low latency. */
const LIVE_PAUSES = { early: 0.7, usual: 0.6, late: 0.3 };
/** Estimated cost of decoding and resampling. It runs outside the models, where the CPU time of a task is unknown. */
const DECODED_SAMPLES_PER_CPU_SECOND = 50e6;
/** Interval of progress events without speech. */
const PROGRESS_EVERY_SECONDS = 10;
const STREAM_PROGRESS_EVERY_SECONDS = 1;
/** Minimum new audio between two partials. */
const PARTIAL_EVERY_SECONDS = 0.6;
/** Maximum fraction of the audio duration that is spent on partials. */
const PARTIAL_SHARE_MAX = 0.5;

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

/** Transcribes a live stream. */
async function* transcribeStream(
  context: AsrTaskContext,
  task: AsrTask,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  const transcriber = await ChannelTranscriber.open(context, task, LIVE_PAUSES);
  let seconds = 0;
  let reportedSeconds = 0;
  let nextPartialSeconds = 0;
  for await (const samples of context.input) {
    signal.throwIfAborted();
    if (samples !== 'flush') seconds += samples.length / ASR_SAMPLE_RATE_HZ;
    const speechSegments = samples === 'flush' ? transcriber.flush() : await transcriber.push(samples);
    yield* transcriber.transcribe(speechSegments, signal);
    if (seconds >= reportedSeconds + STREAM_PROGRESS_EVERY_SECONDS) {
      reportedSeconds = seconds;
      yield { type: 'progress', processedSeconds: seconds, fraction: 0 };
    }
    if (speechSegments.length > 0) nextPartialSeconds = seconds + PARTIAL_EVERY_SECONDS;
    if (seconds < nextPartialSeconds) continue;
    const beganMs = performance.now();
    const partial = await transcriber.partial(signal);
    const tookSeconds = (performance.now() - beganMs) / 1000;
    nextPartialSeconds = seconds + Math.max(PARTIAL_EVERY_SECONDS, tookSeconds / PARTIAL_SHARE_MAX);
    if (partial !== undefined) yield partial;
  }
  yield* transcriber.transcribe(await transcriber.finish(), signal);
  yield { type: 'end', durationSeconds: seconds };
}
