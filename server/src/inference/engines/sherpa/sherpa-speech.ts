import type { GenerationOptions, OfflineTts, PocketConfig, ZipVoiceConfig } from 'sherpa-onnx-node';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import type { SpokenWord } from '../../../text/piece.ts';

/** A model that the runtime can load. */
export type SherpaModel = { readonly pocket: PocketConfig } | { readonly zipvoice: ZipVoiceConfig };

/** A model of sherpa-onnx that speaks like a recording. */
export class SherpaSpeech {
  readonly sampleRateHz: number;
  readonly #tts: OfflineTts;
  readonly #configure: (options: GenerationOptions) => object;

  private constructor(tts: OfflineTts, configure: (options: GenerationOptions) => object) {
    this.#tts = tts;
    this.#configure = configure;
    this.sampleRateHz = tts.sampleRate;
  }

  /** Throws `engine_unavailable` where the runtime is not installed. */
  static async load(model: SherpaModel, threads: number): Promise<SherpaSpeech> {
    const runtime = await import('sherpa-onnx-node').catch((cause: unknown) => {
      throw new ApiError('engine_unavailable', 'The package sherpa-onnx-node is not installed.', { cause });
    });
    // The package is CommonJS, whose exports Node does not always find by name.
    const { OfflineTts, GenerationConfig } =
      runtime.OfflineTts === undefined ? namespaceOf(runtime) : runtime;
    const tts = await OfflineTts.createAsync({
      model: { ...model, numThreads: threads, provider: 'cpu', debug: false },
      maxNumSentences: 1,
    });
    return new SherpaSpeech(tts, (options) => new GenerationConfig(options));
  }

  /** Yields what the runtime says as it says it. Aborting, or leaving, ends its work after the part in hand. */
  async *speak(
    words: readonly SpokenWord[],
    options: Omit<GenerationOptions, 'referenceSampleRate'>,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechPart> {
    const { sampleRateHz } = this;
    const heard = new Heard();
    const work = this.#tts.generateAsync({
      text: textOf(words),
      enableExternalBuffer: false,
      generationConfig: this.#configure({ ...options, referenceSampleRate: sampleRateHz }),
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

/** The words as they are written, since these models read by themselves. */
function textOf(words: readonly SpokenWord[]): string {
  return words.map(({ before, text, after }) => `${before}${text}${after}`).join(' ');
}

function withinFullScale(sample: number): number {
  return Number.isFinite(sample) ? Math.min(Math.max(sample, -1), 1) : 0;
}

function namespaceOf(runtime: typeof import('sherpa-onnx-node')): typeof import('sherpa-onnx-node') {
  return (runtime as unknown as { readonly default: typeof import('sherpa-onnx-node') }).default;
}
