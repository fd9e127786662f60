import { LoudnessMeter } from '../../../audio/dsp/loudness.ts';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import type { VoiceTrial } from '../../engines/voice-encoder.ts';
import type { CloningContext } from './cloning-job.ts';

/** A trial with its speech at the sample rate of the encoder, and its loudness. */
export interface SpokenTrial extends VoiceTrial {
  readonly speech: Float32Array;
  readonly loudnessLufs: number;
}

/** A voice and the sentences to synthesize. */
export interface TrialPlan {
  readonly vector: Float32Array;
  readonly sentences: readonly string[];
  /** Speech of an earlier trial of the same voice, to be measured together with the new speech. */
  readonly before?: Float32Array;
}

/** Synthesizes the sentences and measures the speech. All trials use the same seed, so that only the voice differs. */
export async function speakTrial(
  context: CloningContext,
  { vector, sentences, before }: TrialPlan,
  signal: AbortSignal,
): Promise<SpokenTrial> {
  const [engine, encoder] = [await context.engine(), await context.encoder()];
  const loudness = new LoudnessMeter(engine.sampleRateHz);
  const parts: Float32Array[] = before === undefined ? [] : [before];
  for (const sentence of sentences) {
    const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: encoder.sampleRateHz });
    for await (const part of engine.speak(sentence, { kind: 'vector', values: vector }, signal)) {
      loudness.process(part.samples);
      parts.push(resampler.process(part.samples));
    }
    parts.push(resampler.flush());
  }
  signal.throwIfAborted();
  const speech = joinClips(parts, Number.POSITIVE_INFINITY);
  return { vector, speech, measures: await encoder.measure(speech), loudnessLufs: loudness.integratedLufs() };
}

/** Concatenates clips up to a length. */
export function joinClips(clips: readonly Float32Array[], lengthMax: number): Float32Array {
  const total = clips.reduce((sum, clip) => sum + clip.length, 0);
  const joined = new Float32Array(Math.min(total, lengthMax));
  let offset = 0;
  for (const clip of clips) {
    const part = clip.subarray(0, joined.length - offset);
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
