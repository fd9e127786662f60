import { StepMeter } from '../../../audio/dsp/step-levels.ts';
import type { Utterance } from '../../../domain/engines/tts-engine.ts';
import { UtteranceLeveller } from '../loudness/utterance-leveller.ts';
import type { Window } from './decoders/windows.ts';
import { type Features, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './networks/features.ts';

/** Level per unit of the front's energy, fitted to 1,008 sentences of 28 voices within each sentence. */
const DECIBELS_PER_ENERGY = 3.7;

const meter = new StepMeter(SAMPLE_RATE_HZ, SAMPLES_PER_FRAME);

/** The leveller of an utterance, if it is neutral and its loudness is given. */
export function createLeveller({ loudness, deliveries }: Utterance): UtteranceLeveller | undefined {
  if (loudness === undefined || deliveries !== undefined) return undefined;
  return new UtteranceLeveller({ loudness, meter });
}

/** Predicted levels of a range of frames in decibels, relative to each other. */
export function predictLevels({ energy }: Features, { from, to }: Window): Float32Array {
  const levels = new Float32Array(to - from);
  for (let index = 0; index < levels.length; index++) {
    const first = 2 * (from + index);
    levels[index] = (DECIBELS_PER_ENERGY * (energy[first]! + energy[first + 1]!)) / 2;
  }
  return levels;
}
