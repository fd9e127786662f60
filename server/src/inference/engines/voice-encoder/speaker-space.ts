/** Whitened space of speaker vectors: the training speakers of the engine have zero mean and unit covariance in it. */
export class SpeakerSpace {
  readonly size: number;
  readonly #mean: Float64Array;
  /** Cholesky factor of the speakers' covariance (lower triangle); maps coordinates to a vector. */
  readonly #factor: Float64Array;

  /** Needs more speakers than a vector has values. */
  constructor(speakers: readonly Float32Array[]) {
    this.size = speakers[0]?.length ?? 0;
    this.#mean = meanOf(speakers, this.size);
    this.#factor = choleskyFactor(covarianceOf(speakers, this.#mean), this.size);
  }

  toVector(coordinates: Float32Array): Float32Array {
    return Float32Array.from(this.#mean, (mean, row) => {
      let value = mean;
      for (let column = 0; column <= row; column++)
        value += this.#factor[row * this.size + column]! * coordinates[column]!;
      return value;
    });
  }

  toCoordinates(vector: Float32Array): Float32Array {
    const coordinates = new Float64Array(this.size);
    for (let row = 0; row < this.size; row++) {
      let rest = vector[row]! - this.#mean[row]!;
      for (let column = 0; column < row; column++)
        rest -= this.#factor[row * this.size + column]! * coordinates[column]!;
      coordinates[row] = rest / this.#factor[row * this.size + row]!;
    }
    return Float32Array.from(coordinates);
  }
}

function meanOf(vectors: readonly Float32Array[], size: number): Float64Array {
  const sum = new Float64Array(size);
  for (const vector of vectors) {
    for (let index = 0; index < size; index++) sum[index]! += vector[index]!;
  }
  return sum.map((value) => value / vectors.length);
}

/** The lower triangle of the covariance, row-major in a square matrix. */
function covarianceOf(vectors: readonly Float32Array[], mean: Float64Array): Float64Array {
  const size = mean.length;
  const sums = new Float64Array(size * size);
  const centred = new Float64Array(size);
  for (const vector of vectors) {
    for (let index = 0; index < size; index++) centred[index] = vector[index]! - mean[index]!;
    for (let row = 0; row < size; row++) {
      const value = centred[row]!;
      for (let column = 0; column <= row; column++) sums[row * size + column]! += value * centred[column]!;
    }
  }
  return sums.map((sum) => sum / (vectors.length - 1));
}

function choleskyFactor(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = matrix[row * size + column]!;
      for (let index = 0; index < column; index++)
        rest -= factor[row * size + index]! * factor[column * size + index]!;
      const isDiagonal = row === column;
      if (isDiagonal && !(rest > 0)) throw new Error('The speaker vectors do not span the speaker space.');
      factor[row * size + column] = isDiagonal ? Math.sqrt(rest) : rest / factor[column * size + column]!;
    }
  }
  return factor;
}
