import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { ClonedVoice, MixPart } from '../voice-cloner.ts';
import type { CloningContext } from './cloning-job.ts';
import { speakTrial } from './spoken-trial.ts';
import { FIRST_TRIAL_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

/** Blends voices of the engine, and listens to the result once to know its loudness and gender. */
export async function mixVoice(
  context: CloningContext,
  parts: readonly MixPart[],
  signal: AbortSignal,
): Promise<ClonedVoice> {
  const speakers = await context.speakers();
  const vector = weightedMean(
    parts.map(({ voice, weight }) => ({ vector: vectorOf(voice, speakers), weight })),
  );
  const sentences = TRIAL_SENTENCES.slice(0, FIRST_TRIAL_SENTENCES);
  const { measures, loudnessLufs } = await speakTrial(context, { vector, sentences }, signal);
  const finder = await context.finder();
  return {
    engine: (await context.engine()).name,
    vector,
    melody: mixedMelody(parts, finder.melodyOf(measures).pitchHz),
    loudnessLufs,
    gender: await finder.genderOf(measures),
    measures: {},
  };
}

/** What the voices' own changes come to, by their weights; undefined where none has one. */
function mixedMelody(parts: readonly MixPart[], middleHz: number): PitchCorrection | undefined {
  if (parts.every(({ melody }) => melody === undefined)) return undefined;
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (part: MixPart) => number) =>
    parts.reduce((sum, part) => sum + of(part) * part.weight, 0) / total;
  return {
    middleHz,
    pitchFactor: 2 ** mean(({ melody }) => Math.log2(melody?.pitchFactor ?? 1)),
    range: mean(({ melody }) => melody?.range ?? 1),
  };
}

function vectorOf(voice: MixPart['voice'], speakers: readonly Float32Array[]): Float32Array {
  const vector = typeof voice === 'number' ? speakers[voice] : voice;
  if (vector === undefined) throw new RangeError(`The engine has no speaker ${voice}.`);
  return vector;
}

/** The mean of vectors; only the ratios of the weights count. */
export function weightedMean(
  parts: readonly { readonly vector: Float32Array; readonly weight: number }[],
): Float32Array {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const mean = new Float32Array(parts[0]?.vector.length ?? 0);
  for (const { vector, weight } of parts) {
    for (let index = 0; index < mean.length; index++) mean[index]! += (vector[index]! * weight) / total;
  }
  return mean;
}
