import {
  ASR_SAMPLE_RATE_HZ,
  type SpeakerEmbedder,
  type VoiceActivityStream,
} from '../../engines/asr-engine.ts';
import type { AsrEvent, AsrSegment, AsrTask, AsrTaskContext } from './asr-task.ts';
import { type CuttingRules, SegmentCutter, type SpeechSegment } from './segment-cutter.ts';
import { SegmentTranscriber, splitAtPauses, type TranscribedSegment } from './segment-transcriber.ts';

const TARGET_SECONDS = 16;
/** Longer stretches cost models of attention more than they gain. */
const STRETCH_SECONDS_MAX = 28;

function toSegment(heard: TranscribedSegment, stretch: SpeechSegment): AsrSegment {
  return {
    type: 'segment',
    startSeconds: heard.words[0]?.startSeconds ?? stretch.startSeconds,
    endSeconds: heard.words.at(-1)?.endSeconds ?? stretch.lastSpeechSeconds,
    ...heard,
  };
}

function soundOf({ startSeconds, endSeconds }: AsrSegment, stretch: SpeechSegment): Float32Array {
  const at = (seconds: number) => Math.round((seconds - stretch.startSeconds) * ASR_SAMPLE_RATE_HZ);
  return stretch.samples.subarray(Math.max(0, at(startSeconds)), at(endSeconds));
}

/** Voice activity, cutting and listening, joined: what one channel of a recording is heard with. */
export class ChannelTranscriber {
  readonly #voice: VoiceActivityStream;
  readonly #cutter: SegmentCutter;
  readonly #listener: SegmentTranscriber;
  readonly #printer: SpeakerEmbedder | undefined;

  private constructor(parts: {
    readonly voice: VoiceActivityStream;
    readonly cutter: SegmentCutter;
    readonly listener: SegmentTranscriber;
    readonly printer: SpeakerEmbedder | undefined;
  }) {
    this.#voice = parts.voice;
    this.#cutter = parts.cutter;
    this.#listener = parts.listener;
    this.#printer = parts.printer;
  }

  static async open(
    context: AsrTaskContext,
    job: AsrTask,
    pauses: CuttingRules['pauses'],
  ): Promise<ChannelTranscriber> {
    // Further engines are loaded when a language asks for them; all of them take as much.
    const preferred = await context.engine(job.engines[0]!);
    const maxSeconds = Math.min(preferred.maxSeconds, STRETCH_SECONDS_MAX);
    const rules = { maxSeconds, targetSeconds: Math.min(TARGET_SECONDS, maxSeconds / 2), pauses };
    return new ChannelTranscriber({
      voice: (await context.voiceActivity()).open(),
      cutter: new SegmentCutter(rules, job.startSeconds),
      listener: new SegmentTranscriber(job, context),
      printer: job.wantsSpeakerEmbeddings ? await context.speakerEmbedder() : undefined,
    });
  }

  /** Everything before this has been heard. */
  get settledSeconds(): number {
    return this.#cutter.settledSeconds;
  }

  /** Takes the next samples, and gives the stretches they complete. */
  async push(samples: Float32Array): Promise<SpeechSegment[]> {
    return this.#cutter.push(samples, await this.#voice.push(samples));
  }

  /** The stretch that still goes on, as far as it was heard. */
  flush(): SpeechSegment[] {
    const last = this.#cutter.flush();
    return last === undefined ? [] : [last];
  }

  /** The rest: there is no more sound. */
  async finish(): Promise<SpeechSegment[]> {
    const rest = this.#cutter.push(new Float32Array(0), await this.#voice.flush());
    return [...rest, ...this.flush()];
  }

  /** What was said in stretches that were cut. */
  async *segments(stretches: readonly SpeechSegment[], signal: AbortSignal): AsyncGenerator<AsrSegment> {
    for (const stretch of stretches) {
      signal.throwIfAborted();
      const heard = await this.#listener.hear(stretch, signal);
      if (heard === undefined) continue;
      if (this.#printer === undefined) yield toSegment(heard, stretch);
      else {
        // Somebody else may answer within the stretch.
        for (const phrase of splitAtPauses(heard, stretch.pausesSeconds)) {
          const segment = toSegment(phrase, stretch);
          yield { ...segment, speakerEmbedding: await this.#printer.embed(soundOf(segment, stretch)) };
        }
      }
    }
  }

  /** The best guess at a stretch that still goes on. */
  async partial(signal: AbortSignal): Promise<AsrEvent | undefined> {
    const stretch = this.#cutter.peek();
    if (stretch === undefined || stretch.speechSeconds === 0) return undefined;
    const text = await this.#listener.glance(stretch, signal);
    const { startSeconds, samples } = stretch;
    if (text === '') return undefined;
    return {
      type: 'partial',
      text,
      startSeconds,
      endSeconds: startSeconds + samples.length / ASR_SAMPLE_RATE_HZ,
    };
  }
}
