import type { FrontResult } from './vits-model.ts';

/** Bound of the prediction. The sentences of the measurement deviate by at most 4.2 dB. */
const MAX_DEVIATION_DB = 4;

/** A linear model of the loudness of an utterance. */
export interface TextLoudness {
  /** One weight per channel of the latent prior. */
  readonly weights: readonly number[];
  readonly offset: number;
}

/** Predicted levels of the frames of an utterance in decibels, relative to each other. Without a model all are equal. */
export function predictLevels(
  { mean, tokenFrames }: Pick<FrontResult, 'mean' | 'tokenFrames'>,
  model: TextLoudness | undefined,
): Float32Array {
  const { length, values } = mean;
  const levels = new Float32Array(tokenFrames.reduce((sum, count) => sum + count, 0));
  if (model === undefined) return levels;
  let frame = 0;
  for (let token = 0; token < length; token++) {
    const level = model.weights.reduce(
      (sum, weight, channel) => sum + weight * values[channel * length + token]!,
      0,
    );
    levels.fill(level, frame, frame + tokenFrames[token]!);
    frame += tokenFrames[token]!;
  }
  return levels;
}

/**
 * How much louder than the mean of the speaker an utterance is, in decibels. The level follows from the text, for every
 * speaker alike, and the prior of its tokens predicts it before anything is decoded.
 */
export function predictLoudnessDeviation(
  { mean, tokenFrames }: Pick<FrontResult, 'mean' | 'tokenFrames'>,
  { weights, offset }: TextLoudness,
): number {
  const { channels, length, values } = mean;
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  if (frames === 0) return 0;
  let sum = 0;
  for (let channel = 0; channel < channels; channel++) {
    let channelSum = 0;
    for (let token = 0; token < length; token++) {
      channelSum += tokenFrames[token]! * values[channel * length + token]!;
    }
    sum += weights[channel]! * channelSum;
  }
  const deviationDb = offset + sum / frames;
  return Math.max(-MAX_DEVIATION_DB, Math.min(MAX_DEVIATION_DB, deviationDb));
}
