import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { PORT } from './split-decoder.ts';
import { TokenCache, type TokenCacheShape } from './token-cache.ts';

/** The decoder state: the key-value caches. Immutable: a step returns a new state, so a state can be reused. */
export interface DecoderState {
  readonly crossCache: Readonly<Record<string, Tensor>>;
  readonly selfCache: TokenCache;
  /** Number of decoded tokens. */
  readonly length: number;
}

/** Cross-attention of the requested layers, each heads x tokens x frames. */
export type Attention = readonly Tensor[];

export interface DecoderStep {
  readonly state: DecoderState;
  /** Logits after each of the last tokens, as many as were requested: log probabilities of the whole vocabulary. */
  readonly logits: readonly Float32Array[];
  readonly attention: Attention;
}

const KINDS = ['key', 'value'] as const;

/** Runs the two models of `splitDecoder`. */
export class StepDecoder {
  readonly layers: number;
  readonly #memory: InferenceSession;
  readonly #step: InferenceSession;
  readonly #cacheShape: TokenCacheShape;
  /** Input and output names of the keys and values of all layers, in the same order. */
  readonly #names: Readonly<Record<'memoryIn' | 'memoryOut' | 'past' | 'newTokens', readonly string[]>>;

  private constructor(memory: InferenceSession, step: InferenceSession) {
    this.#memory = memory;
    this.#step = step;
    this.layers = memory.outputNames.length / KINDS.length;
    const forAllLayers = (name: (layer: number, kind: 'key' | 'value') => string) =>
      Array.from({ length: this.layers }, (_, layer) => KINDS.map((kind) => name(layer, kind))).flat();
    this.#names = {
      memoryIn: forAllLayers(PORT.memoryIn),
      memoryOut: forAllLayers(PORT.memoryOut),
      past: forAllLayers(PORT.past),
      newTokens: forAllLayers(PORT.newTokens),
    };
    const metadata = step.inputMetadata.find((input) => input.name === PORT.past(0, 'key'));
    const shape = metadata?.isTensor === true ? metadata.shape : [];
    this.#cacheShape = {
      tensors: memory.outputNames.length,
      width: Number(shape[2]),
    };
  }

  static async open(
    paths: { readonly memory: string; readonly step: string },
    options: { readonly threads: number },
  ): Promise<StepDecoder> {
    return new StepDecoder(await openSession(paths.memory, options), await openSession(paths.step, options));
  }

  /** The initial state for an encoder output. */
  async begin(hidden: Tensor): Promise<DecoderState> {
    const outputs = await this.#memory.run({ [PORT.hidden]: hidden });
    const crossCache: Record<string, Tensor> = {};
    for (const [index, name] of this.#names.memoryIn.entries()) {
      crossCache[name] = outputs[this.#names.memoryOut[index]!] as Tensor;
    }
    return { crossCache, selfCache: new TokenCache(this.#cacheShape), length: 0 };
  }

  /**
   * Appends tokens. `attentionLayers` lists the layers whose cross-attention is returned, `logitCount` is the number of
   * last tokens whose logits are.
   */
  async step(
    state: DecoderState,
    tokens: readonly number[],
    {
      attentionLayers = [],
      logitCount = 1,
    }: { readonly attentionLayers?: readonly number[]; readonly logitCount?: number } = {},
  ): Promise<DecoderStep> {
    const count = tokens.length;
    const positions = BigInt64Array.from({ length: logitCount }, (_, index) =>
      BigInt(count - logitCount + index),
    );
    const feeds: Record<string, Tensor> = {
      ...state.crossCache,
      [PORT.tokens]: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, count]),
      [PORT.positions]: new Tensor('int64', positions, [logitCount]),
      [PORT.mask]: causalMask(count, state.length),
    };
    const past = state.selfCache.tensors(state.length);
    for (const [index, name] of this.#names.past.entries()) feeds[name] = past[index]!;
    const outputNames = [PORT.logits, ...attentionLayers.map(PORT.attention), ...this.#names.newTokens];
    const outputs = await this.#step.run(feeds, outputNames);
    const newTokens = this.#names.newTokens.map((name) => outputs[name]!.data as Float32Array);
    return {
      state: {
        crossCache: state.crossCache,
        selfCache: state.selfCache.append(state.length, newTokens),
        length: state.length + count,
      },
      logits: rowsOf(outputs[PORT.logits]!.data as Float32Array, logitCount),
      attention: attentionLayers.map((layer) => outputs[PORT.attention(layer)] as Tensor),
    };
  }

  async close(): Promise<void> {
    await this.#memory.release();
    await this.#step.release();
  }
}

function rowsOf(values: Float32Array, count: number): Float32Array[] {
  const width = values.length / count;
  return Array.from({ length: count }, (_, row) => values.subarray(row * width, (row + 1) * width));
}

/** A token attends to itself and to earlier tokens. */
function causalMask(count: number, before: number): Tensor {
  const total = before + count;
  const mask = new Float32Array(count * total);
  for (let row = 0; row < count; row++) {
    mask.fill(Number.NEGATIVE_INFINITY, row * total + before + row + 1, (row + 1) * total);
  }
  return new Tensor('float32', mask, [1, 1, count, total]);
}
