import { medianPitchHz } from '../../../audio/dsp/pitch-track.ts';
import { ASR_SAMPLE_RATE_HZ, type SpeakerEmbedder, type VadStream } from '../../engines/asr-engine.ts';
import type { AsrPartial, AsrSegment, AsrTask, AsrTaskContext } from './asr-task.ts';
import { PhraseEmbeddings } from './phrase-embeddings.ts';
import { audioOf, type SegmentationRules, SegmentCutter, type SpeechSegment } from './segment-cutter.ts';
import {
  SegmentTranscriber,
  splitAtPauses,
  type TranscribedSegment,
  withWords,
} from './segment-transcriber.ts';
import { divideAtSpeakerChanges } from './speaker-changes.ts';

const TARGET_SECONDS = 16;
/** Longer segments increase the cost of attention by more than they improve accuracy. */
const SEGMENT_SECONDS_MAX = 28;

function toSegment(result: TranscribedSegment, speech: SpeechSegment): AsrSegment {
  return {
    type: 'segment',
    startSeconds: result.words[0]?.startSeconds ?? speech.startSeconds,
    endSeconds: result.words.at(-1)?.endSeconds ?? speech.lastSpeechSeconds,
    ...result,
  };
}

/** Adds the median pitch of each word. */
function withPitch(result: TranscribedSegment, speech: SpeechSegment): TranscribedSegment {
  const words = result.words.map((word) => ({
    ...word,
    pitchHz: medianPitchHz(audioOf(word, speech), ASR_SAMPLE_RATE_HZ),
  }));
  return { ...result, words };
}

/** The pipeline of one channel: voice activity detection, segmentation, ASR and speaker embedding. */
export class ChannelTranscriber {
  readonly #vad: VadStream;
  readonly #cutter: SegmentCutter;
  readonly #transcriber: SegmentTranscriber;
  readonly #embedder: SpeakerEmbedder | undefined;
  readonly #wantsPitch: boolean;
  /** The text of a segment that was transcribed before its end. */
  #anticipated:
    | { readonly speech: SpeechSegment; readonly result: TranscribedSegment | undefined }
    | undefined;

  private constructor(parts: {
    readonly vad: VadStream;
    readonly cutter: SegmentCutter;
    readonly transcriber: SegmentTranscriber;
    readonly embedder: SpeakerEmbedder | undefined;
    readonly wantsPitch: boolean;
  }) {
    this.#vad = parts.vad;
    this.#cutter = parts.cutter;
    this.#transcriber = parts.transcriber;
    this.#embedder = parts.embedder;
    this.#wantsPitch = parts.wantsPitch;
  }

  static async open(
    context: AsrTaskContext,
    task: AsrTask,
    pauses: SegmentationRules['pauses'],
  ): Promise<ChannelTranscriber> {
    // Further engines are loaded when a language requires them; all have the same `maxSeconds`.
    const preferred = await context.engine(task.engines[0]!);
    const maxSeconds = Math.min(preferred.maxSeconds, SEGMENT_SECONDS_MAX);
    const rules = { maxSeconds, targetSeconds: Math.min(TARGET_SECONDS, maxSeconds / 2), pauses };
    return new ChannelTranscriber({
      vad: (await context.voiceActivity()).open(),
      cutter: new SegmentCutter(rules, task.startSeconds),
      transcriber: new SegmentTranscriber(task, context),
      embedder: task.wantsSpeakerEmbeddings ? await context.speakerEmbedder() : undefined,
      wantsPitch: task.wantsPitch === true,
    });
  }

  /** All audio before this position is part of a completed segment or contains no speech. */
  get settledSeconds(): number {
    return this.#cutter.settledSeconds;
  }

  /** Adds samples and returns the segments that they complete. */
  async push(samples: Float32Array): Promise<SpeechSegment[]> {
    return this.#cutter.push(samples, await this.#vad.push(samples));
  }

  /** Ends the open segment. */
  flush(): SpeechSegment[] {
    const last = this.#cutter.flush();
    return last === undefined ? [] : [last];
  }

  /** Ends the input and returns the remaining segments. */
  async finish(): Promise<SpeechSegment[]> {
    const rest = this.#cutter.push(new Float32Array(0), await this.#vad.flush());
    return [...rest, ...this.flush()];
  }

  async *transcribe(
    speechSegments: readonly SpeechSegment[],
    signal: AbortSignal,
  ): AsyncGenerator<AsrSegment> {
    for (const speech of speechSegments) {
      signal.throwIfAborted();
      const { result: transcribed } = this.hasAnticipated(speech)
        ? this.#anticipated!
        : { result: await this.#transcriber.transcribe(speech, signal) };
      if (transcribed === undefined) continue;
      const result = this.#wantsPitch ? withPitch(transcribed, speech) : transcribed;
      if (this.#embedder === undefined) yield toSegment(result, speech);
      else yield* this.#divideBySpeaker(result, speech, this.#embedder);
    }
  }

  /** The parts of a segment in which one person speaks, with their speaker embeddings. */
  async *#divideBySpeaker(
    transcribed: TranscribedSegment,
    speech: SpeechSegment,
    embedder: SpeakerEmbedder,
  ): AsyncGenerator<AsrSegment> {
    for (const phrase of splitAtPauses(transcribed, speech.pausesSeconds)) {
      const embeddings = new PhraseEmbeddings(toSegment(phrase, speech), speech, embedder);
      const parts = await divideAtSpeakerChanges(phrase.words, (ranges) => embeddings.ofRanges(ranges));
      for (const words of parts) {
        const segment = toSegment(withWords(phrase, words), speech);
        yield {
          ...segment,
          speakerEmbedding: await (parts.length === 1 ? embeddings.ofAll() : embeddings.ofPart(segment)),
        };
      }
    }
  }

  /** Interim text of the open segment. */
  async partial(signal: AbortSignal): Promise<AsrPartial | undefined> {
    const speech = this.#cutter.peek();
    if (speech === undefined || speech.speechSeconds === 0) return undefined;
    return toPartial(await this.#transcriber.transcribePartial(speech, signal), speech);
  }

  /** Silence since the last speech of the open segment. */
  get pauseSeconds(): number {
    return this.#cutter.pauseSeconds;
  }

  /** The open segment, if it is likely to end with the speech so far. */
  likelySegment(): SpeechSegment | undefined {
    const speech = this.#cutter.peekLikelyEnd();
    return speech?.speechSeconds === 0 ? undefined : speech;
  }

  /** Transcribes a likely segment. If it ends there, `transcribe` needs no inference for it. */
  async anticipate(speech: SpeechSegment, signal: AbortSignal): Promise<AsrPartial | undefined> {
    const result = await this.#transcriber.transcribe(speech, signal);
    this.#anticipated = { speech, result };
    return toPartial(result?.text ?? '', speech);
  }

  /** Whether a segment with the same speech was transcribed last. */
  hasAnticipated(speech: SpeechSegment): boolean {
    return this.#anticipated !== undefined && isSameSpeech(this.#anticipated.speech, speech);
  }
}

/** Whether two segments differ at most in the silence at their end. */
export function isSameSpeech(one: SpeechSegment, other: SpeechSegment): boolean {
  return (
    one.startSeconds === other.startSeconds &&
    one.lastSpeechSeconds === other.lastSpeechSeconds &&
    one.ownFromSeconds === other.ownFromSeconds &&
    one.ownToSeconds === other.ownToSeconds
  );
}

function toPartial(text: string, { startSeconds, samples }: SpeechSegment): AsrPartial | undefined {
  if (text === '') return undefined;
  const endSeconds = startSeconds + samples.length / ASR_SAMPLE_RATE_HZ;
  return { type: 'partial', text, startSeconds, endSeconds };
}
