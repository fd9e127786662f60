import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { openSession } from '../onnx/session.ts';
import { PORT } from './split-decoder.ts';
import { TokenCache, type TokenCacheShape } from './token-cache.ts';

/** What has been said so far, and what it was about. Never changed: a step makes a new one, so it can be kept. */
export interface DecoderState {
  readonly crossCache: Readonly<Record<string, Tensor>>;
  readonly selfCache: TokenCache;
  /** Tokens said so far. */
  readonly length: number;
}

/** Where one token looked in the encoder's frames: for each wanted layer, heads x tokens x frames. */
export type Attention = readonly Tensor[];

export interface DecoderStep {
  readonly state: DecoderState;
  /** Of the token after the last one given. */
  readonly logits: Float32Array;
  readonly attention: Attention;
}

const KINDS = ['key', 'value'] as const;

/** Runs the two parts that `cutDecoder` makes. */
export class StepDecoder {
  readonly layers: number;
  readonly #memory: InferenceSession;
  readonly #step: InferenceSession;
  readonly #isMasked: boolean;
  readonly #cacheShape: TokenCacheShape;
  /** Of keys and values of all layers, in one order. */
  readonly #names: Readonly<Record<'memoryIn' | 'memoryOut' | 'past' | 'said', readonly string[]>>;

  private constructor(memory: InferenceSession, step: InferenceSession) {
    this.#memory = memory;
    this.#step = step;
    this.#isMasked = step.inputNames.includes(PORT.mask);
    this.layers = memory.outputNames.length / KINDS.length;
    const everyLayer = (name: (layer: number, kind: 'key' | 'value') => string) =>
      Array.from({ length: this.layers }, (_, layer) => KINDS.map((kind) => name(layer, kind))).flat();
    this.#names = {
      memoryIn: everyLayer(PORT.memoryIn),
      memoryOut: everyLayer(PORT.memoryOut),
      past: everyLayer(PORT.past),
      said: everyLayer(PORT.said),
    };
    const metadata = step.inputMetadata.find((input) => input.name === PORT.past(0, 'key'));
    const shape = metadata?.isTensor === true ? metadata.shape : [];
    this.#cacheShape = {
      tensors: memory.outputNames.length,
      heads: Number(shape[2]),
      width: Number(shape[3]),
    };
  }

  static async open(
    paths: { readonly memory: string; readonly step: string },
    options: { readonly threads: number },
  ): Promise<StepDecoder> {
    return new StepDecoder(await openSession(paths.memory, options), await openSession(paths.step, options));
  }

  /** Begins a text about what the encoder heard. */
  async begin(hidden: Tensor): Promise<DecoderState> {
    const outputs = await this.#memory.run({ [PORT.hidden]: hidden });
    const memory: Record<string, Tensor> = {};
    for (const [index, name] of this.#names.memoryIn.entries()) {
      memory[name] = outputs[this.#names.memoryOut[index]!] as Tensor;
    }
    return { crossCache: memory, selfCache: new TokenCache(this.#cacheShape), length: 0 };
  }

  /** Says the given tokens; `attentionLayers` names the layers whose attention is wanted. */
  async step(
    state: DecoderState,
    tokens: readonly number[],
    attentionLayers: readonly number[] = [],
  ): Promise<DecoderStep> {
    const count = tokens.length;
    const feeds: Record<string, Tensor> = {
      ...state.crossCache,
      [PORT.tokens]: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [1, count]),
    };
    const past = state.selfCache.tensors(state.length);
    for (const [index, name] of this.#names.past.entries()) feeds[name] = past[index]!;
    if (this.#isMasked) feeds[PORT.mask] = causalMask(count, state.length);
    const wanted = [PORT.logits, ...attentionLayers.map(PORT.attention), ...this.#names.said];
    const outputs = await this.#step.run(feeds, wanted);
    const said = this.#names.said.map((name) => outputs[name]!.data as Float32Array);
    return {
      state: {
        crossCache: state.crossCache,
        selfCache: state.selfCache.append(state.length, said),
        length: state.length + count,
      },
      logits: outputs[PORT.logits]!.data as Float32Array,
      attention: attentionLayers.map((layer) => outputs[PORT.attention(layer)] as Tensor),
    };
  }

  async close(): Promise<void> {
    await this.#memory.release();
    await this.#step.release();
  }
}

/** A token sees itself and what was said before it. */
function causalMask(count: number, before: number): Tensor {
  const total = before + count;
  const mask = new Float32Array(count * total);
  for (let row = 0; row < count; row++) {
    mask.fill(Number.NEGATIVE_INFINITY, row * total + before + row + 1, (row + 1) * total);
  }
  return new Tensor('float32', mask, [count, total]);
}
