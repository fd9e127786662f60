import type { GenerationOptions, OfflineTts, PocketConfig, ZipVoiceConfig } from 'sherpa-onnx-node';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import type { SpokenWord } from '../../../text/piece.ts';

/** Configuration of a model for the runtime. */
export type SherpaModel = { readonly pocket: PocketConfig } | { readonly zipvoice: ZipVoiceConfig };

/** A zero-shot TTS model in sherpa-onnx. */
export class SherpaTts {
  readonly sampleRateHz: number;
  readonly #tts: OfflineTts;
  readonly #configure: (options: GenerationOptions) => object;

  private constructor(tts: OfflineTts, configure: (options: GenerationOptions) => object) {
    this.#tts = tts;
    this.#configure = configure;
    this.sampleRateHz = tts.sampleRate;
  }

  /** Throws `engine_unavailable` where the runtime is not installed. */
  static async load(model: SherpaModel, threads: number): Promise<SherpaTts> {
    const runtime = await import('sherpa-onnx-node').catch((cause: unknown) => {
      throw new ApiError('engine_unavailable', 'The package sherpa-onnx-node is not installed.', { cause });
    });
    // Node does not always detect the named exports of this CommonJS package.
    const { OfflineTts, GenerationConfig } =
      runtime.OfflineTts === undefined ? namespaceOf(runtime) : runtime;
    const tts = await OfflineTts.createAsync({
      model: { ...model, numThreads: threads, provider: 'cpu', debug: false },
      maxNumSentences: 1,
    });
    return new SherpaTts(tts, (options) => new GenerationConfig(options));
  }

  /** Yields audio during generation. An abort, or an early return, stops the runtime after the current part. */
  async *speak(
    words: readonly SpokenWord[],
    options: Omit<GenerationOptions, 'referenceSampleRate'>,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechPart> {
    const { sampleRateHz } = this;
    const queue = new AudioQueue();
    const generation = this.#tts.generateAsync({
      text: textOf(words),
      enableExternalBuffer: false,
      generationConfig: this.#configure({ ...options, referenceSampleRate: sampleRateHz }),
      onProgress: ({ samples }) => {
        // The runtime reuses the buffer when this returns.
        queue.push(samples.slice());
        return signal.aborted || queue.isAbandoned ? 0 : 1;
      },
    });
    generation.then(
      () => queue.end(),
      (error: unknown) => queue.end(error),
    );
    try {
      for (;;) {
        signal.throwIfAborted();
        const samples = await queue.next();
        if (samples === undefined) return;
        yield { samples: samples.map(withinFullScale), sampleRateHz };
      }
    } finally {
      queue.isAbandoned = true;
    }
  }
}

/** Generated audio that has not been consumed yet. */
class AudioQueue {
  isAbandoned = false;
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

/** The text of the words; these models phonemize internally. */
function textOf(words: readonly SpokenWord[]): string {
  return words.map(({ before, text, after }) => `${before}${text}${after}`).join(' ');
}

function withinFullScale(sample: number): number {
  return Number.isFinite(sample) ? Math.min(Math.max(sample, -1), 1) : 0;
}

function namespaceOf(runtime: typeof import('sherpa-onnx-node')): typeof import('sherpa-onnx-node') {
  return (runtime as unknown as { readonly default: typeof import('sherpa-onnx-node') }).default;
}
