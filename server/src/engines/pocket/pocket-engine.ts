import type { GenerationConfig, OfflineTts } from 'sherpa-onnx-node';
import { ApiError } from '../../errors.ts';
import type { SpokenWord } from '../../text/piece.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../engine.ts';
import { POCKET } from './pocket-files.ts';

/** Steps of the flow for each frame, as its authors use it. */
const FLOW_STEPS = 5;
/** More of a recording than this tells the model nothing new. */
const REFERENCE_SECONDS_MAX = 12;
const REFERENCE_SECONDS_MIN = 0.5;

/**
 * Pocket TTS in sherpa-onnx: speaks like a recording that it hears first. The vector of a voice is that recording,
 * at the engine's own rate. It has no voices of its own, gives no word times, and knows one pace only.
 */
export class PocketEngine implements TtsEngine {
  readonly name = POCKET;
  readonly sampleRateHz: number;
  readonly capabilities = {
    voiceAsVector: true,
    durations: false,
    pitchAndEnergy: false,
    windowedDecoding: true,
  } as const;
  readonly languages = ['en-US'] as const;
  readonly voices = [];
  readonly #tts: OfflineTts;
  readonly #configure: (options: ConstructorParameters<typeof GenerationConfig>[0]) => GenerationConfig;

  constructor(
    tts: OfflineTts,
    configure: (options: ConstructorParameters<typeof GenerationConfig>[0]) => GenerationConfig,
  ) {
    this.#tts = tts;
    this.#configure = configure;
    this.sampleRateHz = tts.sampleRate;
  }

  async *speak({ words, voice }: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { sampleRateHz } = this;
    if (voice.kind !== 'vector' || voice.values.length < REFERENCE_SECONDS_MIN * sampleRateHz) {
      throw new ApiError('voice_not_found', 'Pocket TTS speaks like a recording of half a second or more.');
    }
    const heard = new Heard();
    const work = this.#tts.generateAsync({
      text: textOf(words),
      enableExternalBuffer: false,
      generationConfig: this.#configure({
        speed: 1,
        referenceAudio: voice.values.subarray(0, REFERENCE_SECONDS_MAX * sampleRateHz),
        referenceSampleRate: sampleRateHz,
        numSteps: FLOW_STEPS,
        extra: { max_reference_audio_len: REFERENCE_SECONDS_MAX },
      }),
      onProgress: ({ samples }) => {
        // The runtime takes its samples back when this returns.
        heard.push(samples.slice());
        return signal.aborted || heard.isLeft ? 0 : 1;
      },
    });
    work.then(
      () => heard.end(),
      (error: unknown) => heard.end(error),
    );
    try {
      for (;;) {
        signal.throwIfAborted();
        const samples = await heard.next();
        if (samples === undefined) return;
        yield { samples: samples.map(withinFullScale), sampleRateHz };
      }
    } finally {
      heard.isLeft = true;
    }
  }

  async close(): Promise<void> {
    // The runtime frees a model when its object is collected.
  }
}

/** What the runtime has said so far and nobody has taken. */
class Heard {
  isLeft = false;
  readonly #parts: Float32Array[] = [];
  #hasEnded = false;
  #error: unknown;
  #wake = () => {};

  push(samples: Float32Array): void {
    if (samples.length > 0) this.#parts.push(samples);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#hasEnded = true;
    this.#error = error;
    this.#wake();
  }

  /** The next part; undefined after the last one. */
  async next(): Promise<Float32Array | undefined> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) return part;
      if (this.#error !== undefined) throw this.#error;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** The words as they are written, since the model reads by itself. */
function textOf(words: readonly SpokenWord[]): string {
  return words.map(({ before, text, after }) => `${before}${text}${after}`).join(' ');
}

function withinFullScale(sample: number): number {
  return Number.isFinite(sample) ? Math.min(Math.max(sample, -1), 1) : 0;
}
