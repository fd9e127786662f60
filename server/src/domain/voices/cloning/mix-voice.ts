import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { ClonedVoice, MixPart } from '../voice-cloner.ts';
import type { CloningContext } from './cloning-job.ts';
import { speakTrial } from './spoken-trial.ts';
import { FIRST_TRIAL_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

/** Mixes voices of the engine, and synthesizes one trial to measure loudness, pitch and gender. */
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
  const encoder = await context.encoder();
  return {
    engine: (await context.engine()).name,
    vector,
    pitchCorrection: mixPitchCorrections(parts, encoder.pitchOf(measures).pitchHz),
    loudnessLufs,
    gender: await encoder.genderOf(measures),
    measures: {},
  };
}

/** Weighted mean of the pitch corrections, pitch factors on a log scale; undefined when no voice has one. */
function mixPitchCorrections(parts: readonly MixPart[], middleHz: number): PitchCorrection | undefined {
  if (parts.every(({ pitchCorrection }) => pitchCorrection === undefined)) return undefined;
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of: (part: MixPart) => number) =>
    parts.reduce((sum, part) => sum + of(part) * part.weight, 0) / total;
  return {
    middleHz,
    pitchFactor: 2 ** mean(({ pitchCorrection }) => Math.log2(pitchCorrection?.pitchFactor ?? 1)),
    range: mean(({ pitchCorrection }) => pitchCorrection?.range ?? 1),
  };
}

/** The vector of a part; speakers are given by their number. */
export function vectorOf(voice: MixPart['voice'], speakers: readonly Float32Array[]): Float32Array {
  const vector = typeof voice === 'number' ? speakers[voice] : voice;
  if (vector === undefined) throw new RangeError(`The engine has no speaker ${voice}.`);
  return vector;
}

/** Weighted mean of vectors, in which missing values are 0. The weights need not add up to 1. */
export function weightedMean(
  parts: readonly { readonly vector: Float32Array; readonly weight: number }[],
): Float32Array {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const mean = new Float32Array(Math.max(0, ...parts.map(({ vector }) => vector.length)));
  for (const { vector, weight } of parts) {
    for (const [index, value] of vector.entries()) mean[index]! += (value * weight) / total;
  }
  return mean;
}
