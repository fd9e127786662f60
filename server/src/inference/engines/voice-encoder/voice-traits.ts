import type { VoiceTraits } from '../../../domain/engines/voice-encoder.ts';
import { MEASURES } from './measures.ts';

/** Bands of the long-term spectrum: those below about 1 kHz, and those above about 2.5 kHz. */
const LOW_BANDS = { from: 0, to: 16 } as const;
const HIGH_BANDS = { from: 24, to: 40 } as const;

/** What the measures say in plain numbers. */
export function readTraits(measures: Float32Array): Omit<VoiceTraits, 'femininity'> {
  return {
    pitchHz: 2 ** measures[MEASURES.pitch.from]!,
    melodyOctaves: measures[MEASURES.pitchRange.from]!,
    brightness: meanBand(measures, HIGH_BANDS) - meanBand(measures, LOW_BANDS),
  };
}

/** The measures of the same voice, were it as high as this. */
export function withPitch(measures: Float32Array, pitchHz: number): Float32Array {
  const moved = Float32Array.from(measures);
  moved[MEASURES.pitch.from] = Math.log2(pitchHz);
  return moved;
}

/**
 * A pitch that leaps further than this is taken for one that leaps so. Hum and noise in a recording look like leaps, and
 * the engine's vectors of leaping voices say one sentence high and the next one low.
 */
const MELODY_MAX_OCTAVES = 0.2;

/** The measures of the same voice, were its pitch as steady as that of most. */
export function withSteadyPitch(measures: Float32Array): Float32Array {
  const steady = Float32Array.from(measures);
  steady[MEASURES.pitchRange.from] = Math.min(measures[MEASURES.pitchRange.from]!, MELODY_MAX_OCTAVES);
  return steady;
}

function meanBand(
  measures: Float32Array,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let sum = 0;
  for (let band = from; band < to; band++) sum += measures[MEASURES.spectrum.from + band]!;
  return sum / (to - from);
}
