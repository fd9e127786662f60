import type { PitchCorrection } from '../../../domain/engines/tts-engine.ts';
import type { DeliveryTracks } from './delivery-tracks.ts';

/** Limit on the deviation from the median. Glides into and out of voicing fall to 0 Hz and are not intonation. */
const DEVIATION_SEMITONES_MAX = 10;
const PITCH_MAX_HZ = 500;

/** Median pitch of the voiced values, or undefined when none is voiced. */
export function medianPitchHz(pitchHz: Float32Array, voicedAboveHz: number): number | undefined {
  const voiced = pitchHz.filter((value) => value > voicedAboveHz).sort();
  return voiced[voiced.length >> 1];
}

/**
 * Factor for one value of a pitch contour around this median: `offset` in semitones, `range` on the deviation.
 */
export function contourFactor(
  hz: number,
  medianHz: number,
  { offset, range }: { readonly offset: number; readonly range: number },
): number {
  const deviation = clamp(12 * Math.log2(hz / medianHz), DEVIATION_SEMITONES_MAX);
  return Math.min(2 ** ((offset + deviation * (range - 1)) / 12), PITCH_MAX_HZ / hz);
}

/** Factor for one pitch value of a voice with a pitch correction. */
export function correctionFactor(hz: number, { middleHz, pitchFactor, range }: PitchCorrection): number {
  return contourFactor(hz, middleHz, { offset: 12 * Math.log2(pitchFactor), range });
}

/** Factors that shift and scale a pitch contour as the tracks demand. Unvoiced values are interpolated. */
export function contourFactors(
  pitchHz: Float32Array,
  tracks: DeliveryTracks,
  { voicedAboveHz, medianHz }: { readonly voicedAboveHz: number; readonly medianHz: number },
): Float32Array {
  const factors = new Float32Array(pitchHz.length);
  let lastVoiced = -1;
  for (let index = 0; index < pitchHz.length; index++) {
    const hz = pitchHz[index]!;
    if (hz <= voicedAboveHz) continue;
    factors[index] = contourFactor(hz, medianHz, {
      offset: tracks.offset[index]!,
      range: tracks.range[index]!,
    });
    interpolateGap(factors, lastVoiced, index);
    lastVoiced = index;
  }
  interpolateGap(factors, lastVoiced, factors.length);
  return factors;
}

/** Interpolates between two voiced values; at an end, the only neighbour is repeated. */
function interpolateGap(factors: Float32Array, before: number, after: number): void {
  const right = factors[after];
  const left = before < 0 ? right : factors[before];
  for (let index = before + 1; index < after; index++) {
    const share = (index - before) / (after - before);
    factors[index] = left === undefined ? 1 : left + ((right ?? left) - left) * share;
  }
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
