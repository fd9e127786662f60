import { Tensor } from '../onnx/onnxruntime.ts';

export interface TokenCacheShape {
  /** Number of tensors: keys and values of every layer. */
  readonly tensors: number;
  /** Values per token in each tensor. */
  readonly width: number;
}

/** Tokens of a text of usual length. */
const CAPACITY_MIN = 64;

/**
 * The key-value cache of the self-attention. Texts with a common prefix share it, since appended values are never
 * overwritten.
 */
export class TokenCache {
  readonly #shape: TokenCacheShape;
  readonly #capacity: number;
  readonly #buffers: readonly Float32Array[];
  #used = 0;

  constructor(shape: TokenCacheShape, capacity = CAPACITY_MIN) {
    this.#shape = shape;
    this.#capacity = capacity;
    const { tensors, width } = shape;
    this.#buffers = Array.from({ length: tensors }, () => new Float32Array(capacity * width));
  }

  /** The first `tokens` tokens, as tensors of 1 x tokens x width. */
  tensors(tokens: number): Tensor[] {
    const { width } = this.#shape;
    return this.#buffers.map(
      (buffer) => new Tensor('float32', buffer.subarray(0, tokens * width), [1, tokens, width]),
    );
  }

  /**
   * Appends values after the first `tokens` tokens: in this cache, or in a copy when it is full or other values follow
   * there.
   */
  append(tokens: number, more: readonly Float32Array[]): TokenCache {
    const { width } = this.#shape;
    const total = tokens + more[0]!.length / width;
    const fits = this.#used === tokens && total <= this.#capacity;
    const cache = fits ? this : this.#copy(tokens, Math.max(CAPACITY_MIN, 2 * total));
    for (const [index, values] of more.entries()) cache.#buffers[index]!.set(values, tokens * width);
    cache.#used = total;
    return cache;
  }

  #copy(tokens: number, capacity: number): TokenCache {
    const copy = new TokenCache(this.#shape, capacity);
    const length = tokens * this.#shape.width;
    for (const [index, buffer] of this.#buffers.entries()) {
      copy.#buffers[index]!.set(buffer.subarray(0, length));
    }
    return copy;
  }
}
