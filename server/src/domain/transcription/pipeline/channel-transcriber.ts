import { HEARING_RATE_HZ, type VoiceActivityStream, type VoicePrinter } from '../../engines/asr-engine.ts';
import type { HeardSegment, HearingContext, HearingEvent, HearingJob } from './asr-task.ts';
import { type CuttingRules, type Stretch, StretchCutter } from './segment-cutter.ts';
import { type HeardStretch, StretchListener, splitAtPauses } from './segment-transcriber.ts';

const TARGET_SECONDS = 16;
/** Longer stretches cost models of attention more than they gain. */
const STRETCH_SECONDS_MAX = 28;

function toSegment(heard: HeardStretch, stretch: Stretch): HeardSegment {
  return {
    type: 'segment',
    startSeconds: heard.words[0]?.startSeconds ?? stretch.startSeconds,
    endSeconds: heard.words.at(-1)?.endSeconds ?? stretch.lastSpeechSeconds,
    ...heard,
  };
}

function soundOf({ startSeconds, endSeconds }: HeardSegment, stretch: Stretch): Float32Array {
  const at = (seconds: number) => Math.round((seconds - stretch.startSeconds) * HEARING_RATE_HZ);
  return stretch.samples.subarray(Math.max(0, at(startSeconds)), at(endSeconds));
}

/** Voice activity, cutting and listening, joined: what one channel of a recording is heard with. */
export class Ear {
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

  /** Takes the next samples, and gives the stretches they complete. */
  async push(samples: Float32Array): Promise<Stretch[]> {
    return this.#cutter.push(samples, await this.#voice.push(samples));
  }

  /** The stretch that still goes on, as far as it was heard. */
  flush(): Stretch[] {
    const last = this.#cutter.flush();
    return last === undefined ? [] : [last];
  }

  /** The rest: there is no more sound. */
  async finish(): Promise<Stretch[]> {
    const rest = this.#cutter.push(new Float32Array(0), await this.#voice.flush());
    return [...rest, ...this.flush()];
  }

  /** What was said in stretches that were cut. */
  async *segments(stretches: readonly Stretch[], signal: AbortSignal): AsyncGenerator<HeardSegment> {
    for (const stretch of stretches) {
      signal.throwIfAborted();
      const heard = await this.#listener.hear(stretch, signal);
      if (heard === undefined) continue;
      if (this.#printer === undefined) yield toSegment(heard, stretch);
      else {
        // Somebody else may answer within the stretch.
        for (const phrase of splitAtPauses(heard, stretch.pausesSeconds)) {
          const segment = toSegment(phrase, stretch);
          yield { ...segment, voicePrint: await this.#printer.print(soundOf(segment, stretch)) };
        }
      }
    }
  }

  /** The best guess at a stretch that still goes on. */
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
