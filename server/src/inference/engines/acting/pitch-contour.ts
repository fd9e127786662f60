import type { PitchCorrection } from '../../../domain/engines/tts-engine.ts';
import type { DeliveryTracks } from './tracks.ts';

/** The glides into and out of a voiced sound reach down to nothing; they must not count as melody. */
const MELODY_SEMITONES_MAX = 10;
const PITCH_MAX_HZ = 500;

/** The pitch in the middle of what is voiced, or undefined when nothing is. */
export function medianPitchHz(pitchHz: Float32Array, voicedAboveHz: number): number | undefined {
  const voiced = pitchHz.filter((value) => value > voicedAboveHz).sort();
  return voiced[voiced.length >> 1];
}

/** By how much to multiply one pitch of a melody around this middle. */
export function melodyFactor(
  hz: number,
  middleHz: number,
  { offset, range }: { readonly offset: number; readonly range: number },
): number {
  const melody = clamp(12 * Math.log2(hz / middleHz), MELODY_SEMITONES_MAX);
  return Math.min(2 ** ((offset + melody * (range - 1)) / 12), PITCH_MAX_HZ / hz);
}

/** By how much to multiply one pitch of a voice whose melody is changed. */
export function changedMelody(hz: number, { middleHz, pitchFactor, range }: PitchCorrection): number {
  return melodyFactor(hz, middleHz, { offset: 12 * Math.log2(pitchFactor), range });
}

/**
 * By how much to multiply each pitch so that the melody is moved and stretched as the tracks say. What is not
 * voiced gets what lies between its neighbours.
 */
export function melodyFactors(
  pitchHz: Float32Array,
  tracks: DeliveryTracks,
  { voicedAboveHz, middleHz }: { readonly voicedAboveHz: number; readonly middleHz: number },
): Float32Array {
  const factors = new Float32Array(pitchHz.length);
  let lastVoiced = -1;
  for (let index = 0; index < pitchHz.length; index++) {
    const hz = pitchHz[index]!;
    if (hz <= voicedAboveHz) continue;
    factors[index] = melodyFactor(hz, middleHz, {
      offset: tracks.offset[index]!,
      range: tracks.range[index]!,
    });
    bridge(factors, lastVoiced, index);
    lastVoiced = index;
  }
  bridge(factors, lastVoiced, factors.length);
  return factors;
}

/** Fills what lies between two known factors; a side without one takes the other's. */
function bridge(factors: Float32Array, before: number, after: number): void {
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
