/** Distance by which a vector is moved along the gradient. The engine's speakers are at a distance of 4.5 from their mean. */
const STEP = 1;

/** A linear model of the naturalness of a voice: the gradient of the score that a MOS predictor gave the engine's speakers. */
export class Naturalness {
  readonly #slope: Float32Array;
  readonly #speakerMean: number;

  constructor(slope: Float32Array, speakers: readonly Float32Array[]) {
    this.#slope = slope;
    this.#speakerMean = speakers.reduce((sum, speaker) => sum + dot(slope, speaker), 0) / speakers.length;
  }

  /** Predicted score relative to the mean of the engine's speakers. */
  gainOf(vector: Float32Array): number {
    return dot(this.#slope, vector) - this.#speakerMean;
  }

  /** Moves a vector by `STEP` along the gradient: nearly the same voice with a better score. */
  improve(vector: Float32Array): Float32Array {
    const length = Math.sqrt(dot(this.#slope, this.#slope));
    return vector.map((value, i) => value + (STEP / length) * this.#slope[i]!);
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
