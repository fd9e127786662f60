import { DECODER_VOICE_SIZE } from './clone-vector.ts';
import { BINS } from './excitation.ts';
import { BLOCK_CHANNELS, changeRanges } from './weight-changes.ts';

/**
 * Shares of a native voice in the first blocks of the decoder, which form the sounds of speech. Cloned voices speak English
 * in the training of the decoder; with their own values the blocks form sounds of other languages badly.
 */
const NATIVE_SHARES = [0.8, 0.4, 0.2] as const;

/** Values of a native voice that are mixed with those of a clone: scale and shift of the first blocks. */
export const NATIVE_VALUES = NATIVE_SHARES.reduce((sum, _, block) => sum + 2 * BLOCK_CHANNELS[block]!, 0);

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

/** The voice vector of a clone with the articulation of a native voice. */
export function mixArticulation(decoderVoice: Float32Array, native: Float32Array): Float32Array {
  const mixed = decoderVoice.slice();
  let at = 0;
  for (const [block, share] of NATIVE_SHARES.entries()) {
    for (const end = at + 2 * BLOCK_CHANNELS[block]!; at < end; at++) {
      mixed[at] = (1 - share) * decoderVoice[at]! + share * native[at]!;
    }
    if (decoderVoice.length === DECODER_VOICE_SIZE) continue;
    const { from, to } = changeRanges()[block]!;
    for (let index = DECODER_VOICE_SIZE + from; index < DECODER_VOICE_SIZE + to; index++) {
      mixed[index]! *= 1 - share;
    }
  }
  return mixed;
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
