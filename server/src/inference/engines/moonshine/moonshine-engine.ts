import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngine,
  type AsrEngineContext,
  type AsrOptions,
  type AsrResult,
  type LanguageProbability,
  runAtOnce,
} from '../../../domain/engines/asr-engine.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { buildAsrResult } from '../seq2seq/asr-result.ts';
import { deriveDecoder } from '../seq2seq/derive-decoder.ts';
import { type AlignmentHead, decodeGreedily } from '../seq2seq/greedy-decoding.ts';
import type { StepDecoder } from '../seq2seq/step-decoder.ts';
import type { TokenBytes } from '../seq2seq/token-bytes.ts';
import { loadVocabulary } from './vocabulary.ts';

export type MoonshineSize = 'tiny' | 'base';

const START_TOKEN = 1;
const END_TOKEN = 2;
/** Samples per frame of the encoder. */
const FRAME_SAMPLES = 384;
/** Minimum input of the encoder; shorter audio is padded with silence. */
const SECONDS_MIN = 0.5;
const SECONDS_MAX = 30;
/** Above the rate of real speech; more tokens indicate a loop of the model. */
const TOKENS_PER_SECOND_MAX = 6.5;
const TOKENS_MIN = 6;
const HEADS_PER_LAYER = 8;
const LEAD_SECONDS = 0.065;

/** Moonshine: a small English model whose cost is proportional to the length of the audio. */
export class MoonshineEngine implements AsrEngine {
  readonly name: string;
  readonly languages = ['en'];
  readonly maxSeconds = SECONDS_MAX;
  readonly #encoder: InferenceSession;
  readonly #decoder: StepDecoder;
  readonly #vocabulary: TokenBytes;
  readonly #heads: readonly AlignmentHead[];

  constructor(options: {
    readonly name: string;
    readonly encoder: InferenceSession;
    readonly decoder: StepDecoder;
    readonly vocabulary: TokenBytes;
    /** Alignment heads for word times. */
    readonly heads: readonly AlignmentHead[];
  }) {
    this.name = options.name;
    this.#encoder = options.encoder;
    this.#decoder = options.decoder;
    this.#vocabulary = options.vocabulary;
    this.#heads = options.heads;
  }

  async transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult> {
    const seconds = samples.length / ASR_SAMPLE_RATE_HZ;
    if (seconds > SECONDS_MAX)
      throw new RangeError(`${this.name} accepts at most ${SECONDS_MAX} s per call.`);
    options.signal.throwIfAborted();
    const padded = padTo(samples, SECONDS_MIN * ASR_SAMPLE_RATE_HZ);
    const input = new Tensor('float32', padded, [1, padded.length]);
    const { runStep = runAtOnce } = options;
    const outputs = await runStep(() => this.#encoder.run({ input_values: input }));
    const hidden = outputs.last_hidden_state as Tensor;
    options.signal.throwIfAborted();
    const state = await runStep(() => this.#decoder.begin(hidden));
    const decoded = await decodeGreedily(
      this.#decoder,
      { state, tokens: [START_TOKEN] },
      {
        endToken: END_TOKEN,
        tokensMax: Math.ceil(seconds * TOKENS_PER_SECOND_MAX) + TOKENS_MIN,
        heads: options.wordTimes === true ? this.#heads : [],
        signal: options.signal,
        runStep,
      },
    );
    return buildAsrResult(decoded, {
      samples,
      bytesOf: (token) => this.#vocabulary.of(token),
      frames: hidden.dims[1]!,
      frameSeconds: FRAME_SAMPLES / ASR_SAMPLE_RATE_HZ,
      leadSeconds: LEAD_SECONDS,
      language: 'en',
    });
  }

  async detectLanguage(): Promise<readonly LanguageProbability[]> {
    return [{ language: 'en', probability: 1 }];
  }

  async close(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.close();
  }
}

function padTo(samples: Float32Array, length: number): Float32Array {
  if (samples.length >= length) return samples;
  const padded = new Float32Array(length);
  padded.set(samples);
  return padded;
}

/** The heads with the best alignment on synthesized speech. Together they are as accurate as all heads. */
const BASE_HEADS: readonly AlignmentHead[] = [
  { layer: 4, head: 2 },
  { layer: 6, head: 1 },
  { layer: 6, head: 4 },
  { layer: 6, head: 7 },
];

function allHeads(layers: number): AlignmentHead[] {
  return Array.from({ length: layers * HEADS_PER_LAYER }, (_, index) => ({
    layer: Math.floor(index / HEADS_PER_LAYER),
    head: index % HEADS_PER_LAYER,
  }));
}

/** Loads Moonshine of one size. */
export async function loadMoonshine(context: AsrEngineContext, size: MoonshineSize): Promise<AsrEngine> {
  const name = `moonshine-${size}`;
  const decoder = await deriveDecoder(context, name);
  return new MoonshineEngine({
    name,
    encoder: await openSession(await context.file(name, 'encoder.onnx'), context),
    decoder,
    vocabulary: await loadVocabulary(await context.file(name, 'vocabulary.txt')),
    heads: size === 'base' ? BASE_HEADS : allHeads(decoder.layers),
  });
}
