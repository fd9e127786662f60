/** Frames of constant input, 33 s, after which the output of the model changes by less than 0.001. */
const SETTLED_FRAMES = 1024;

/**
 * Detects constant audio, such as digital silence. The model is recurrent and time-invariant: after many equal frames
 * its output stays almost the same, so further equal frames need no inference.
 */
export class SteadyFrames {
  readonly #frameSamples: number;
  readonly #contextSamples: number;
  #value = Number.NaN;
  #frames = 0;

  constructor({
    frameSamples,
    contextSamples,
  }: { readonly frameSamples: number; readonly contextSamples: number }) {
    this.#frameSamples = frameSamples;
    this.#contextSamples = contextSamples;
  }

  /** Whether the last frames were constant for so long that the model has settled. */
  get isSettled(): boolean {
    return this.#frames >= SETTLED_FRAMES;
  }

  /** Number of frames at the start of `audio` (context and frames) that continue the constant value. */
  count(audio: Float32Array, frames: number): number {
    const samples = this.#contextSamples + frames * this.#frameSamples;
    let at = 0;
    while (at < samples && audio[at] === this.#value) at++;
    return Math.max(0, Math.floor((at - this.#contextSamples) / this.#frameSamples));
  }

  /** Adds frames that the model has processed. */
  add(audio: Float32Array, frames: number): void {
    const last = audio[this.#contextSamples + frames * this.#frameSamples - 1]!;
    if (last !== this.#value) {
      this.#value = last;
      this.#frames = 0;
    }
    const isConstant = this.count(audio, frames) === frames;
    if (isConstant) this.#frames += frames;
    else this.#frames = 0;
  }
}
