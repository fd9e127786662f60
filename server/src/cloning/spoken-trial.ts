import { LoudnessMeter } from '../audio/loudness.ts';
import { Resampler } from '../audio/resampler.ts';
import type { CloningContext, Trial } from './cloning-job.ts';

/** A voice that was tried, with the loudness of its speech. */
export interface SpokenTrial extends Trial {
  readonly loudnessLufs: number;
}

/** Lets a voice speak, and measures it. All trials have the same chance, so that only the voice differs. */
export async function speakTrial(
  context: CloningContext,
  { vector, sentences }: { readonly vector: Float32Array; readonly sentences: readonly string[] },
  signal: AbortSignal,
): Promise<SpokenTrial> {
  const [engine, finder] = [await context.engine(), await context.finder()];
  const loudness = new LoudnessMeter(engine.sampleRateHz);
  const parts: Float32Array[] = [];
  for (const sentence of sentences) {
    const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: finder.sampleRateHz });
    for await (const part of engine.speak(sentence, { kind: 'vector', values: vector }, signal)) {
      loudness.process(part.samples);
      parts.push(resampler.process(part.samples));
    }
    parts.push(resampler.flush());
  }
  signal.throwIfAborted();
  const measures = await finder.measure(joinClips(parts, Number.POSITIVE_INFINITY));
  return { vector, measures, loudnessLufs: loudness.integratedLufs() };
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
