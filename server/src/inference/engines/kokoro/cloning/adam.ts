/** Decay of the moving averages of the gradient and of its square. */
const MEAN_DECAY = 0.9;
const SQUARE_DECAY = 0.98;
const EPSILON = 1e-8;

/** The Adam optimizer: steps of about equal size in every direction, whatever the size of the gradient. */
export class Adam {
  readonly #mean: Float64Array;
  readonly #square: Float64Array;
  #steps = 0;

  constructor(size: number) {
    this.#mean = new Float64Array(size);
    this.#square = new Float64Array(size);
  }

  /** Changes `values` against the gradient. */
  step(values: Float32Array, gradient: Float32Array, rate: number): void {
    this.#steps++;
    const meanScale = 1 - MEAN_DECAY ** this.#steps;
    const squareScale = 1 - SQUARE_DECAY ** this.#steps;
    for (let index = 0; index < values.length; index++) {
      const slope = gradient[index]!;
      const mean = MEAN_DECAY * this.#mean[index]! + (1 - MEAN_DECAY) * slope;
      const square = SQUARE_DECAY * this.#square[index]! + (1 - SQUARE_DECAY) * slope * slope;
      this.#mean[index] = mean;
      this.#square[index] = square;
      values[index]! -= (rate * (mean / meanScale)) / (Math.sqrt(square / squareScale) + EPSILON);
    }
  }
}
