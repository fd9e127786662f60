/** By so much a voice is moved to where voices sound more natural; speakers are 4.5 from their middle. */
const LIFT = 1;

/**
 * How natural voices are expected to sound: a slope through the space of voices, along which a judge of recordings
 * liked the engine's speakers better and better.
 */
export class Naturalness {
  readonly #slope: Float32Array;
  readonly #usual: number;

  constructor(slope: Float32Array, speakers: readonly Float32Array[]) {
    this.#slope = slope;
    this.#usual = speakers.reduce((sum, speaker) => sum + dot(slope, speaker), 0) / speakers.length;
  }

  /** Points of the judge above the usual speaker. */
  gainOf(vector: Float32Array): number {
    return dot(this.#slope, vector) - this.#usual;
  }

  /** Nearly the same voice, but a more natural one. */
  lifted(vector: Float32Array): Float32Array {
    const length = Math.sqrt(dot(this.#slope, this.#slope));
    return vector.map((value, i) => value + (LIFT / length) * this.#slope[i]!);
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
