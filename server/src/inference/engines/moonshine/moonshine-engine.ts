import { readFile } from 'node:fs/promises';
import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngine,
  type AsrEngineContext,
  type AsrOptions,
  type AsrResult,
  type DecodedText,
  type LanguageProbability,
  runAtOnce,
} from '../../../domain/engines/asr-engine.ts';
import { readModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { buildAsrResult } from '../seq2seq/asr-result.ts';
import { deriveDecoder } from '../seq2seq/derive-decoder.ts';
import { deriveNetwork } from '../seq2seq/derive-network.ts';
import {
  type AlignmentHead,
  type DecodedTokens,
  type DecodeOptions,
  decodeGreedily,
} from '../seq2seq/greedy-decoding.ts';
import type { StepDecoder } from '../seq2seq/step-decoder.ts';
import type { TokenBytes } from '../seq2seq/token-bytes.ts';
import { loadVocabulary } from './vocabulary.ts';

export type MoonshineSize = 'tiny' | 'base';

/** Version of the derived encoder. */
const ENCODER_VERSION = 1;
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
/** Least duration of a token of real speech; above the rate of `TOKENS_PER_SECOND_MAX`. */
const SPOKEN_TOKEN_SECONDS_MIN = 0.08;
/** Shorter texts may be correct without punctuation. */
const UNPUNCTUATED_TOKENS_MIN = 6;
/** Tokens at the end of an earlier result that are decoded again: about two seconds of speech. */
const REVISED_TOKENS = 8;
const SPACE = 0x20;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
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
    const isFinal = options.wordTimes === true;
    const earlier = isFinal ? undefined : reusableStart(options.earlier);
    const draft = isFinal ? options.earlier?.tokens : undefined;
    const decode = (adjust?: DecodeOptions['adjust']) =>
      decodeGreedily(
        this.#decoder,
        { state, tokens: [START_TOKEN], earlier, draft },
        {
          endToken: END_TOKEN,
          tokensMax: Math.ceil(seconds * TOKENS_PER_SECOND_MAX) + TOKENS_MIN,
          heads: isFinal ? this.#heads : [],
          framesPerTokenMin: (SPOKEN_TOKEN_SECONDS_MIN * ASR_SAMPLE_RATE_HZ) / FRAME_SAMPLES,
          adjust,
          signal: options.signal,
          runStep,
        },
      );
    let decoded = await decode();
    if (this.#isUnpunctuated(decoded)) {
      // The style of the first token decides that of the text: a capital letter leads to sentences with punctuation.
      const again = await decode((logits, tokens) => {
        if (tokens.length === 0) this.#suppressLowerCase(logits);
      });
      if (!this.#isUnpunctuated(again) && again.tokens.length > decoded.tokens.length / 2) decoded = again;
    }
    const result = buildAsrResult(decoded, {
      samples,
      bytesOf: (token) => this.#vocabulary.of(token),
      frames: hidden.dims[1]!,
      frameSeconds: FRAME_SAMPLES / ASR_SAMPLE_RATE_HZ,
      leadSeconds: LEAD_SECONDS,
      language: 'en',
    });
    const { tokens, logProbabilities } = decoded;
    return decoded.isCut ? result : { ...result, decoded: { tokens, logProbabilities } };
  }

  /** Whether a text of several words has neither punctuation nor a capital letter. */
  #isUnpunctuated({ tokens }: DecodedTokens): boolean {
    if (tokens.length < UNPUNCTUATED_TOKENS_MIN) return false;
    const text = Buffer.concat(tokens.map((token) => this.#vocabulary.of(token))).toString('utf8');
    return !/[\p{Lu}.,!?]/u.test(text);
  }

  #suppressLowerCase(logits: Float32Array): void {
    for (let token = 0; token < logits.length; token++) {
      const bytes = this.#vocabulary.of(token);
      const first = bytes[0] === SPACE ? bytes[1] : bytes[0];
      const isLowerCase = first !== undefined && first >= LOWER_A && first <= LOWER_Z;
      if (isLowerCase) logits[token] = Number.NEGATIVE_INFINITY;
    }
  }

  async detectLanguage(): Promise<readonly LanguageProbability[]> {
    return [{ language: 'en', probability: 1 }];
  }

  async close(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.close();
  }
}

/** The tokens before the last ones, which more audio may change. */
function reusableStart(earlier: DecodedText | undefined): DecodedText | undefined {
  const count = (earlier?.tokens.length ?? 0) - REVISED_TOKENS;
  if (earlier === undefined || count <= 0) return undefined;
  return {
    tokens: earlier.tokens.slice(0, count),
    logProbabilities: earlier.logProbabilities.slice(0, count),
  };
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
  const encoder = await deriveNetwork(context, {
    model: name,
    name: 'encoder',
    version: ENCODER_VERSION,
    make: async () => readModel(await readFile(await context.file(name, 'encoder.onnx'))),
  });
  return new MoonshineEngine({
    name,
    encoder: await openSession(encoder, context),
    decoder,
    vocabulary: await loadVocabulary(await context.file(name, 'vocabulary.txt')),
    heads: size === 'base' ? BASE_HEADS : allHeads(decoder.layers),
  });
}
