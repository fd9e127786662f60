/**
 * The space of speaker vectors, seen from its mean voice: coordinates in which the speakers the engine was
 * trained on scatter by one in every direction.
 */
export class SpeakerSpace {
  readonly size: number;
  readonly #mean: Float32Array;
  /** One row per coordinate: where one step along it leads. */
  readonly #axes: Float32Array;
  readonly #squaredLengths: Float64Array;

  /** `values` holds the mean and then the axes, as 16-bit floats. */
  constructor(values: Float32Array, size: number) {
    if (values.length !== (size + 1) * size) throw new Error('The space of voices is damaged.');
    this.size = size;
    this.#mean = values.slice(0, size);
    this.#axes = values.slice(size);
    this.#squaredLengths = new Float64Array(size);
    this.#axes.forEach((value, index) => {
      this.#squaredLengths[Math.floor(index / size)]! += value ** 2;
    });
  }

  toVector(coordinates: Float32Array): Float32Array {
    const vector = Float64Array.from(this.#mean);
    coordinates.forEach((coordinate, row) => {
      for (let column = 0; column < this.size; column++) {
        vector[column]! += coordinate * this.#axes[row * this.size + column]!;
      }
    });
    return Float32Array.from(vector);
  }

  toCoordinates(vector: Float32Array): Float32Array {
    return Float32Array.from(this.#squaredLengths, (squaredLength, row) => {
      let product = 0;
      for (let column = 0; column < this.size; column++) {
        product += (vector[column]! - this.#mean[column]!) * this.#axes[row * this.size + column]!;
      }
      return product / squaredLength;
    });
  }
}

/** Widens 16-bit floats. */
export function floatsFromHalves(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length / 2 }, (_, index) =>
    fromHalf(view.getUint16(index * 2, true)),
  );
}

function fromHalf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}
