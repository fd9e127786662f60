import type { PitchCorrection } from '../../../domain/engines/tts-engine.ts';
import type { DeliveryTracks } from './delivery-tracks.ts';

/** Limit on the deviation from the median. Glides into and out of voicing fall to 0 Hz and are not intonation. */
const DEVIATION_SEMITONES_MAX = 10;
const PITCH_MAX_HZ = 500;
/** Limit on the part of a deviation that a wider range scales: peaks of lively speech are more frequent rather than higher. */
const WIDENED_SEMITONES_MAX = 4;
/** In lively speech, what rises above the median by more than this is raised half as far. */
const PEAK_SEMITONES = 5;
/** Pitch range from which speech is lively; between 1 and this value peaks are lowered in part. */
const LIVELY_RANGE = 1.2;

/** Change of the pitch in one place: shift in semitones, and factor on the deviation from the median. */
interface PitchChange {
  readonly offset: number;
  readonly range: number;
}

/** Median pitch of the voiced values, or undefined when none is voiced. */
export function medianPitchHz(pitchHz: Float32Array, voicedAboveHz: number): number | undefined {
  const voiced = pitchHz.filter((value) => value > voicedAboveHz).sort();
  return voiced[voiced.length >> 1];
}

/** Factor for one value of a pitch contour around this median, for a delivery. */
export function contourFactor(hz: number, medianHz: number, change: PitchChange): number {
  if (change.range <= 1) return scaledFactor(hz, medianHz, change);
  const deviation = 12 * Math.log2(hz / medianHz);
  const widened = clamp(deviation, WIDENED_SEMITONES_MAX) * (change.range - 1);
  const shift = change.offset + widened;
  const excess = Math.max(0, deviation + widened - PEAK_SEMITONES);
  const liveliness = Math.min(1, (change.range - 1) / (LIVELY_RANGE - 1));
  // Peaks are never below those of neutral speech, and never raised by this rule.
  const lowered = Math.min(shift, Math.max(0, shift - (liveliness * excess) / 2));
  return limitedFactor(hz, lowered);
}

/** Factor for one value of a pitch contour whose deviations from this median are scaled alike. */
function scaledFactor(hz: number, medianHz: number, { offset, range }: PitchChange): number {
  const deviation = clamp(12 * Math.log2(hz / medianHz), DEVIATION_SEMITONES_MAX);
  return limitedFactor(hz, offset + deviation * (range - 1));
}

function limitedFactor(hz: number, semitones: number): number {
  return Math.min(2 ** (semitones / 12), PITCH_MAX_HZ / hz);
}

/** Factor for one pitch value of a voice with a pitch correction. */
export function correctionFactor(hz: number, { middleHz, pitchFactor, range }: PitchCorrection): number {
  return scaledFactor(hz, middleHz, { offset: 12 * Math.log2(pitchFactor), range });
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
