import { HEARING_RATE_HZ, type VoiceActivityStream, type VoicePrinter } from '../engines/asr-engine.ts';
import type { HearingContext, HearingEvent, HearingJob } from './hearing-job.ts';
import { Recording } from './recording.ts';
import { type CuttingRules, type Stretch, StretchCutter } from './stretch-cutter.ts';
import { type HeardStretch, StretchListener, splitAtPauses } from './stretch-listener.ts';

/** A recording may take its time: long stretches give the models more to go by. */
const FILE_PAUSES = { early: 2, usual: 2, late: 0.4 };
/** Who speaks live waits for the answer. */
const LIVE_PAUSES = { early: 0.7, usual: 0.6, late: 0.3 };
const TARGET_SECONDS = 16;
/** Longer stretches cost models of attention more than they gain. */
const STRETCH_SECONDS_MAX = 28;
/** How often progress is told where nobody speaks. */
const PROGRESS_EVERY_SECONDS = 10;
const STREAM_PROGRESS_EVERY_SECONDS = 1;
/** How much must be new before a stretch that goes on is looked at again. */
const PARTIAL_EVERY_SECONDS = 0.6;
/** Looking may take at most this part of the time that passes. */
const PARTIAL_SHARE_MAX = 0.5;

/** Does one job: decodes, finds speech, cuts it at pauses and turns it into text, stretch by stretch. */
export function hear(
  context: HearingContext,
  job: HearingJob,
  signal: AbortSignal,
): AsyncGenerator<HearingEvent> {
  return job.source.kind === 'file'
    ? hearFile(context, job, job.source.path, signal)
    : hearStream(context, job, signal);
}

/** Hears a recording on disk, from its start to its end, in memory that does not grow with it. */
async function* hearFile(
  context: HearingContext,
  job: HearingJob,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<HearingEvent> {
  const { startSeconds = 0, minSeconds = 0, maxSeconds = Number.POSITIVE_INFINITY, ffmpegPath } = job;
  const recording = new Recording(path, { startSeconds, minSeconds, maxSeconds, ffmpegPath });
  const ear = await Ear.open(context, job, FILE_PAUSES);
  let told = Number.NEGATIVE_INFINITY;
  for await (const samples of recording.samples(signal)) {
    const stretches = await ear.push(samples);
    yield* ear.segments(stretches, signal);
    const heardSeconds = ear.settledSeconds;
    if (stretches.length === 0 && heardSeconds < told + PROGRESS_EVERY_SECONDS) continue;
    told = heardSeconds;
    yield { type: 'progress', heardSeconds, fraction: recording.fraction };
  }
  yield* ear.segments(await ear.finish(), signal);
  yield { type: 'progress', heardSeconds: recording.seconds, fraction: 1 };
  yield { type: 'end', durationSeconds: recording.seconds };
}

/** Hears somebody who speaks right now. */
async function* hearStream(
  context: HearingContext,
  job: HearingJob,
  signal: AbortSignal,
): AsyncGenerator<HearingEvent> {
  const ear = await Ear.open(context, job, LIVE_PAUSES);
  let seconds = 0;
  let told = 0;
  let nextLookSeconds = 0;
  for await (const samples of context.input) {
    signal.throwIfAborted();
    if (samples !== 'flush') seconds += samples.length / HEARING_RATE_HZ;
    const stretches = samples === 'flush' ? ear.flush() : await ear.push(samples);
    yield* ear.segments(stretches, signal);
    if (seconds >= told + STREAM_PROGRESS_EVERY_SECONDS) {
      told = seconds;
      yield { type: 'progress', heardSeconds: seconds, fraction: 0 };
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

type Segment = Extract<HearingEvent, { readonly type: 'segment' }>;

function toSegment(heard: HeardStretch, stretch: Stretch): Segment {
  return {
    type: 'segment',
    startSeconds: heard.words[0]?.startSeconds ?? stretch.startSeconds,
    endSeconds: heard.words.at(-1)?.endSeconds ?? stretch.lastSpeechSeconds,
    ...heard,
  };
}

function soundOf({ startSeconds, endSeconds }: Segment, stretch: Stretch): Float32Array {
  const at = (seconds: number) => Math.round((seconds - stretch.startSeconds) * HEARING_RATE_HZ);
  return stretch.samples.subarray(Math.max(0, at(startSeconds)), at(endSeconds));
}

/** Voice activity, cutting and listening, joined. */
class Ear {
  readonly #voice: VoiceActivityStream;
  readonly #cutter: StretchCutter;
  readonly #listener: StretchListener;
  readonly #printer: VoicePrinter | undefined;

  private constructor(parts: {
    readonly voice: VoiceActivityStream;
    readonly cutter: StretchCutter;
    readonly listener: StretchListener;
    readonly printer: VoicePrinter | undefined;
  }) {
    this.#voice = parts.voice;
    this.#cutter = parts.cutter;
    this.#listener = parts.listener;
    this.#printer = parts.printer;
  }

  static async open(context: HearingContext, job: HearingJob, pauses: CuttingRules['pauses']): Promise<Ear> {
    // Further engines are loaded when a language asks for them; all of them take as much.
    const preferred = await context.engine(job.engines[0]!);
    const maxSeconds = Math.min(preferred.maxSeconds, STRETCH_SECONDS_MAX);
    const rules = { maxSeconds, targetSeconds: Math.min(TARGET_SECONDS, maxSeconds / 2), pauses };
    return new Ear({
      voice: (await context.voiceActivity()).open(),
      cutter: new StretchCutter(rules, job.startSeconds),
      listener: new StretchListener(job, context),
      printer: job.hasVoicePrints ? await context.voicePrinter() : undefined,
    });
  }

  /** Everything before this has been heard. */
  get settledSeconds(): number {
    return this.#cutter.settledSeconds;
  }

  async push(samples: Float32Array): Promise<Stretch[]> {
    return this.#cutter.push(samples, await this.#voice.push(samples));
  }

  flush(): Stretch[] {
    const last = this.#cutter.flush();
    return last === undefined ? [] : [last];
  }

  async finish(): Promise<Stretch[]> {
    const rest = this.#cutter.push(new Float32Array(0), await this.#voice.flush());
    return [...rest, ...this.flush()];
  }

  async *segments(stretches: readonly Stretch[], signal: AbortSignal): AsyncGenerator<HearingEvent> {
    for (const stretch of stretches) {
      signal.throwIfAborted();
      const heard = await this.#listener.hear(stretch, signal);
      if (heard === undefined) continue;
      if (this.#printer === undefined) yield toSegment(heard, stretch);
      else {
        // Somebody else may answer within the stretch.
        for (const phrase of splitAtPauses(heard)) {
          const segment = toSegment(phrase, stretch);
          yield { ...segment, voicePrint: await this.#printer.print(soundOf(segment, stretch)) };
        }
      }
    }
  }

  async partial(signal: AbortSignal): Promise<HearingEvent | undefined> {
    const stretch = this.#cutter.peek();
    if (stretch === undefined || stretch.speechSeconds === 0) return undefined;
    const text = await this.#listener.glance(stretch, signal);
    const { startSeconds, samples } = stretch;
    if (text === '') return undefined;
    return {
      type: 'partial',
      text,
      startSeconds,
      endSeconds: startSeconds + samples.length / HEARING_RATE_HZ,
    };
  }
}
