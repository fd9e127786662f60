import { BINS } from '../networks/excitation.ts';
import { DECODER_VOICE_SIZE } from './clone-vector.ts';
import { BLOCK_CHANNELS, changeRanges } from './weight-changes.ts';

/** The first blocks of the decoder, which form the sounds of speech. */
const BLOCKS = 3;
/** Values of a native voice that are mixed with those of a clone: scale and shift of the first blocks. */
export const NATIVE_VALUES = BLOCK_CHANNELS.slice(0, BLOCKS).reduce((sum, channels) => sum + 2 * channels, 0);

/**
 * How native voices form the sounds of a language. Cloned voices speak English in the training of the decoder; with their
 * own values the first blocks form sounds of other languages badly.
 */
export interface NativeArticulation {
  readonly values: Float32Array;
  /** Shares of these values in each of the first blocks. */
  readonly shares: readonly number[];
}

/** Quieter hops of an utterance are not compared. */
const QUIET_SHARE = 0.3;
/** Bins below 2.8 kHz, whose mean is the loudness of the pulses in a hop. */
const LOUDNESS_BINS = 60;

/** Log gains of the pulses and of the noise of an utterance, `BINS` values per hop. */
export interface LogFilters {
  readonly pulses: Float32Array;
  readonly noise: Float32Array;
  readonly isVoiced: readonly boolean[];
}

/** The share of its own values that a clone keeps beside a native voice, for each value of its voice vector. */
export function ownShares(size: number, { shares }: Pick<NativeArticulation, 'shares'>): Float64Array {
  const own = new Float64Array(size).fill(1);
  let at = 0;
  for (const [block, share] of shares.entries()) {
    const from = at;
    at += 2 * BLOCK_CHANNELS[block]!;
    own.fill(1 - share, from, at);
    if (size === DECODER_VOICE_SIZE) continue;
    const changes = changeRanges()[block]!;
    own.fill(1 - share, DECODER_VOICE_SIZE + changes.from, DECODER_VOICE_SIZE + changes.to);
  }
  return own;
}

/** The voice vector of a clone with the articulation of a native voice. */
export function mixArticulation(decoderVoice: Float32Array, native: NativeArticulation): Float32Array {
  const own = ownShares(decoderVoice.length, native);
  return decoderVoice.map((value, index) => {
    const share = own[index]!;
    return share * value + (1 - share) * (native.values[index] ?? 0);
  });
}

/** Changes the gains of a voice vector in place, so that the long-term spectrum becomes that of another one. */
export function matchSpectrum(decoderVoice: Float32Array, own: LogFilters, target: LogFilters): void {
  const pulseHops = loudHops(target.pulses, (hop) => target.isVoiced[hop]!, LOUDNESS_BINS);
  const noiseHops = loudHops(target.noise, () => true, BINS);
  const gains = decoderVoice.subarray(DECODER_VOICE_SIZE - 2 * BINS, DECODER_VOICE_SIZE);
  addMeanDifference(gains.subarray(0, BINS), { from: own.pulses, to: target.pulses, hops: pulseHops });
  addMeanDifference(gains.subarray(BINS), { from: own.noise, to: target.noise, hops: noiseHops });
}

function addMeanDifference(
  gains: Float32Array,
  { from, to, hops }: { from: Float32Array; to: Float32Array; hops: readonly number[] },
): void {
  for (const hop of hops) {
    for (let bin = 0; bin < BINS; bin++) {
      gains[bin]! += (to[hop * BINS + bin]! - from[hop * BINS + bin]!) / hops.length;
    }
  }
}

/** The hops for which a condition holds, without the quietest ones. */
function loudHops(values: Float32Array, isCounted: (hop: number) => boolean, bins: number): number[] {
  const loudness = Array.from({ length: values.length / BINS }, (_, hop) =>
    values.subarray(hop * BINS, hop * BINS + bins).reduce((sum, value) => sum + value, 0),
  );
  const counted = [...loudness.keys()].filter(isCounted);
  counted.sort((one, other) => loudness[one]! - loudness[other]!);
  return counted.slice(Math.floor(QUIET_SHARE * counted.length));
}
