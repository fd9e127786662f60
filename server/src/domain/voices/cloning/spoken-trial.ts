import { LoudnessMeter } from '../../../audio/dsp/loudness.ts';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import type { Trial } from '../../engines/voice-encoder.ts';
import type { CloningContext } from './cloning-job.ts';

/** A voice that was tried, with what it said, at the rate of the finder, and how loud that was. */
export interface SpokenTrial extends Trial {
  readonly speech: Float32Array;
  readonly loudnessLufs: number;
}

/** Who says what. */
export interface TrialPlan {
  readonly vector: Float32Array;
  readonly sentences: readonly string[];
  /** What the same voice said already. */
  readonly before?: Float32Array;
}

/** Lets a voice speak, and measures it, together with what it said before. All trials have the same chance, so that only the voice differs. */
export async function speakTrial(
  context: CloningContext,
  { vector, sentences, before }: TrialPlan,
  signal: AbortSignal,
): Promise<SpokenTrial> {
  const [engine, finder] = [await context.engine(), await context.finder()];
  const loudness = new LoudnessMeter(engine.sampleRateHz);
  const parts: Float32Array[] = before === undefined ? [] : [before];
  for (const sentence of sentences) {
    const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: finder.sampleRateHz });
    for await (const part of engine.speak(sentence, { kind: 'vector', values: vector }, signal)) {
      loudness.process(part.samples);
      parts.push(resampler.process(part.samples));
    }
    parts.push(resampler.flush());
  }
  signal.throwIfAborted();
  const speech = joinClips(parts, Number.POSITIVE_INFINITY);
  return { vector, speech, measures: await finder.measure(speech), loudnessLufs: loudness.integratedLufs() };
}

/** All clips one after the other, up to a length. */
export function joinClips(clips: readonly Float32Array[], lengthMax: number): Float32Array {
  const total = clips.reduce((sum, clip) => sum + clip.length, 0);
  const joined = new Float32Array(Math.min(total, lengthMax));
  let offset = 0;
  for (const clip of clips) {
    const kept = clip.subarray(0, joined.length - offset);
    joined.set(kept, offset);
    offset += kept.length;
  }
  return joined;
}
