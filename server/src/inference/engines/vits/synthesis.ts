import type { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { copyFrame, createFrames, type Frames, sliceFrames } from './frames.ts';
import type { FrontResult, VitsModel } from './vits-model.ts';

/** A small first window reduces the latency; later windows grow, since every window also decodes its context. */
const WINDOW_FRAMES = [32, 64, 128] as const;
/** The flow is cheaper but has a larger receptive field, so it runs ahead in long segments after a short first one. */
const FLOW_SEGMENT_FRAMES = { first: 64, later: 384 } as const;

/** Divides `length` frames into windows. None is shorter than half of the first, unless `length` is. */
export function planWindows(length: number): { from: number; to: number }[] {
  const windows: { from: number; to: number }[] = [];
  for (let from = 0; from < length; ) {
    const size = WINDOW_FRAMES[Math.min(windows.length, WINDOW_FRAMES.length - 1)]!;
    const isNearEnd = length - from - size < WINDOW_FRAMES[0] / 2;
    const to = isNearEnd ? length : from + size;
    windows.push({ from, to });
    from = to;
  }
  return windows;
}

/** Draws the prior of the latent for every frame from the Gaussian of its token. */
export function drawPrior(front: FrontResult, options: { noise: GaussianNoise; noiseScale: number }): Frames {
  const { tokenFrames, mean, logScale } = front;
  const { channels, length: idCount } = mean;
  const prior = createFrames(
    channels,
    tokenFrames.reduce((sum, frames) => sum + frames, 0),
  );
  // Frame by frame, so that the noise of a frame is independent of the number of frames.
  const noise = new Float32Array(channels);
  let frame = 0;
  for (let id = 0; id < idCount; id++) {
    for (let repeat = 0; repeat < tokenFrames[id]!; repeat++, frame++) {
      options.noise.fill(noise);
      for (let channel = 0; channel < channels; channel++) {
        const at = channel * idCount + id;
        const deviation = Math.exp(logScale.values[at]!) * options.noiseScale;
        prior.values[channel * prior.length + frame] = mean.values[at]! + deviation * noise[channel]!;
      }
    }
  }
  return prior;
}

/**
 * Decodes a prior to audio, window by window. Each window includes the receptive field of the networks as context,
 * so the result equals full decoding.
 */
export async function* decodeWindows(
  model: VitsModel,
  input: {
    readonly prior: Frames;
    readonly speaker: Float32Array;
    /** Factor of the samples. */
    readonly gain?: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Float32Array> {
  const { prior, speaker, gain = 1, signal } = input;
  const { decoderReachFrames, flowReachFrames, samplesPerFrame } = model.shape;
  const latent = createFrames(prior.channels, prior.length);
  let latentEnd = 0;

  for (const window of planWindows(latent.length)) {
    const context = widen(window, decoderReachFrames, latent.length);
    while (latentEnd < context.to) {
      signal.throwIfAborted();
      const segment = latentEnd === 0 ? FLOW_SEGMENT_FRAMES.first : FLOW_SEGMENT_FRAMES.later;
      const segmentEnd = Math.min(latent.length, latentEnd + segment);
      const around = widen({ from: latentEnd, to: segmentEnd }, flowReachFrames, prior.length);
      const flowed = await model.runFlow(sliceFrames(prior, around.from, around.to), speaker);
      for (; latentEnd < segmentEnd; latentEnd++) {
        copyFrame(flowed, latentEnd - around.from, latent, latentEnd);
      }
    }
    signal.throwIfAborted();
    const samples = await model.runDecoder(sliceFrames(latent, context.from, context.to), speaker);
    const start = (window.from - context.from) * samplesPerFrame;
    yield scale(samples.slice(start, start + (window.to - window.from) * samplesPerFrame), gain);
  }
}

function widen(
  range: { readonly from: number; readonly to: number },
  by: number,
  length: number,
): { from: number; to: number } {
  return { from: Math.max(0, range.from - by), to: Math.min(length, range.to + by) };
}

/** The approximate tanh of the last layer can exceed full scale by a rounding error, and a gain can exceed it. */
function scale(samples: Float32Array, gain: number): Float32Array {
  for (let index = 0; index < samples.length; index++) {
    samples[index] = Math.min(1, Math.max(-1, gain * samples[index]!));
  }
  return samples;
}
