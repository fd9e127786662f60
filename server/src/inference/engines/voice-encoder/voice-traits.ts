import type { VoiceTraits } from '../../../domain/engines/voice-encoder.ts';
import { MEASURES } from './measures.ts';

/** Bands of the long-term spectrum: those below about 1 kHz, and those above about 2.5 kHz. */
const LOW_BANDS = { from: 0, to: 16 } as const;
const HIGH_BANDS = { from: 24, to: 40 } as const;

/** Traits derived from the measures. */
export function readTraits(measures: Float32Array): Omit<VoiceTraits, 'femininity'> {
  return {
    pitchHz: 2 ** measures[MEASURES.pitch.from]!,
    pitchRangeOctaves: measures[MEASURES.pitchRange.from]!,
    brightness: meanBand(measures, HIGH_BANDS) - meanBand(measures, LOW_BANDS),
  };
}

/** The measures of the same voice with another pitch. */
export function withPitch(measures: Float32Array, pitchHz: number): Float32Array {
  const moved = Float32Array.from(measures);
  moved[MEASURES.pitch.from] = Math.log2(pitchHz);
  return moved;
}

/** The measures of the same voice with its pitch range limited. Hum, noise and creak widen the measured range. */
export function limitPitchRange(measures: Float32Array, maxOctaves: number): Float32Array {
  const limited = Float32Array.from(measures);
  limited[MEASURES.pitchRange.from] = Math.min(measures[MEASURES.pitchRange.from]!, maxOctaves);
  return limited;
}

function meanBand(
  measures: Float32Array,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let sum = 0;
  for (let band = from; band < to; band++) sum += measures[MEASURES.spectrum.from + band]!;
  return sum / (to - from);
}
