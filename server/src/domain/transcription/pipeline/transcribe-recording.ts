import { ASR_SAMPLE_RATE_HZ } from '../../engines/asr-engine.ts';
import type { AsrEvent, AsrTask, AsrTaskContext } from './asr-task.ts';
import { ChannelTranscriber } from './channel-transcriber.ts';
import { RecordingReader } from './recording-reader.ts';
import { SegmentMerge } from './segment-merge.ts';

/** A recording may take its time: long stretches give the models more to go by. */
const FILE_PAUSES = { early: 2, usual: 2, late: 0.4 };
/** Who speaks live waits for the answer. */
const LIVE_PAUSES = { early: 0.7, usual: 0.6, late: 0.3 };
/** How often progress is told where nobody speaks. */
const PROGRESS_EVERY_SECONDS = 10;
const STREAM_PROGRESS_EVERY_SECONDS = 1;
/** How much must be new before a stretch that goes on is looked at again. */
const PARTIAL_EVERY_SECONDS = 0.6;
/** Looking may take at most this part of the time that passes. */
const PARTIAL_SHARE_MAX = 0.5;

/** Does one job: decodes, finds speech, cuts it at pauses and turns it into text, stretch by stretch. */
export function transcribeRecording(
  context: AsrTaskContext,
  job: AsrTask,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  return job.source.kind === 'file'
    ? hearFile(context, job, job.source.path, signal)
    : hearStream(context, job, signal);
}

/** Hears a recording on disk, from its start to its end, in memory that does not grow with it. */
async function* hearFile(
  context: AsrTaskContext,
  job: AsrTask,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  const { startSeconds = 0, minSeconds = 0, maxSeconds = Number.POSITIVE_INFINITY, ffmpegPath } = job;
  const { isSplit = false } = job;
  const options = { startSeconds, minSeconds, maxSeconds, ffmpegPath, isSplit };
  const recording = new RecordingReader(path, options);
  const ears: ChannelTranscriber[] = [];
  const merge = new SegmentMerge();
  let told = Number.NEGATIVE_INFINITY;
  for await (const tracks of recording.tracks(signal)) {
    for (const [channel, samples] of tracks.entries()) {
      ears[channel] ??= await ChannelTranscriber.open(context, job, FILE_PAUSES);
      for await (const segment of ears[channel].segments(await ears[channel].push(samples), signal)) {
        merge.add(channel, isSplit ? { ...segment, channel } : segment);
      }
    }
    const { segments, processedSeconds } = merge.settle(ears.map((ear) => ear.settledSeconds));
    yield* segments;
    if (segments.length === 0 && processedSeconds < told + PROGRESS_EVERY_SECONDS) continue;
    told = processedSeconds;
    yield { type: 'progress', processedSeconds, fraction: recording.fraction };
  }
  for (const [channel, ear] of ears.entries()) {
    for await (const segment of ear.segments(await ear.finish(), signal)) {
      merge.add(channel, isSplit ? { ...segment, channel } : segment);
    }
  }
  yield* merge.settle(ears.map(() => Number.POSITIVE_INFINITY)).segments;
  yield { type: 'progress', processedSeconds: recording.seconds, fraction: 1 };
  yield { type: 'end', durationSeconds: recording.seconds };
}

/** Hears somebody who speaks right now. */
async function* hearStream(
  context: AsrTaskContext,
  job: AsrTask,
  signal: AbortSignal,
): AsyncGenerator<AsrEvent> {
  const ear = await ChannelTranscriber.open(context, job, LIVE_PAUSES);
  let seconds = 0;
  let told = 0;
  let nextLookSeconds = 0;
  for await (const samples of context.input) {
    signal.throwIfAborted();
    if (samples !== 'flush') seconds += samples.length / ASR_SAMPLE_RATE_HZ;
    const stretches = samples === 'flush' ? ear.flush() : await ear.push(samples);
    yield* ear.segments(stretches, signal);
    if (seconds >= told + STREAM_PROGRESS_EVERY_SECONDS) {
      told = seconds;
      yield { type: 'progress', processedSeconds: seconds, fraction: 0 };
    }
    if (stretches.length > 0) nextLookSeconds = seconds + PARTIAL_EVERY_SECONDS;
    if (seconds < nextLookSeconds) continue;
    const beganMs = performance.now();
    const partial = await ear.partial(signal);
    const tookSeconds = (performance.now() - beganMs) / 1000;
    nextLookSeconds = seconds + Math.max(PARTIAL_EVERY_SECONDS, tookSeconds / PARTIAL_SHARE_MAX);
    if (partial !== undefined) yield partial;
  }
  yield* ear.segments(await ear.finish(), signal);
  yield { type: 'end', durationSeconds: seconds };
}
