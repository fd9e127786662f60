import { mixArticulation, type NativeArticulation, ownShares } from '../clone-vectors/native-articulation.ts';

/**
 * The voice vector with which a clone says the trials of a language that it speaks with the articulation of a native voice.
 * During a descent the mixture follows the voice; its correction of the long-term spectrum remains that of the start.
 */
export class TrialArticulation {
  readonly #native: NativeArticulation;
  readonly #correction: Float32Array;
  readonly #ownShares: Float64Array;

  /** `articulated` is the start with the articulation, as the decoder returns it. */
  constructor(start: Float32Array, articulated: Float32Array, native: NativeArticulation) {
    const mixed = mixArticulation(start, native);
    this.#native = native;
    this.#correction = articulated.map((value, index) => value - mixed[index]!);
    this.#ownShares = ownShares(start.length, native);
  }

  articulate(decoderVoice: Float32Array): Float32Array {
    const mixed = mixArticulation(decoderVoice, this.#native);
    return mixed.map((value, index) => value + this.#correction[index]!);
  }

  /** The slopes with respect to the voice vector, from those with respect to what `articulate` returns. */
  slopesOfVoice(slopes: Float32Array): Float32Array {
    return slopes.map((slope, index) => slope * this.#ownShares[index]!);
  }
}
