import type { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { copyFrame, createFrames, type Frames, sliceFrames } from './frames.ts';
import type { FrontResult, VitsModel } from './vits-model.ts';

/** A small first window brings the first audio early; later ones grow, since every window pays for its context. */
const WINDOW_FRAMES = [32, 64, 128] as const;
/** The flow is cheaper but looks further, so after a first short stretch it runs ahead in long ones. */
const FLOW_STRETCH_FRAMES = { first: 64, later: 384 } as const;

/** Cuts `length` frames into windows. None is shorter than half of the first, except when all are. */
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

/** Draws the latent's prior for every frame: each id's Gaussian, for as many frames as it lasts. */
export function drawPrior(front: FrontResult, options: { noise: GaussianNoise; noiseScale: number }): Frames {
  const { tokenFrames, mean, logScale } = front;
  const { channels, length: idCount } = mean;
  const prior = createFrames(
    channels,
    tokenFrames.reduce((sum, frames) => sum + frames, 0),
  );
  // Frame by frame, so that a frame's noise does not depend on how many frames follow.
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
 * Turns a prior into sound, window by window. Each window sees as much on either side as the networks look,
 * so that the whole is the same as if it had been decoded in one go.
 */
export async function* decodeWindows(
  model: VitsModel,
  input: {
    readonly prior: Frames;
    readonly speaker: Float32Array;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Float32Array> {
  const { prior, speaker, signal } = input;
  const { decoderReachFrames, flowReachFrames, samplesPerFrame } = model.shape;
  const latent = createFrames(prior.channels, prior.length);
  let latentEnd = 0;

  for (const window of planWindows(latent.length)) {
    const seen = widen(window, decoderReachFrames, latent.length);
    while (latentEnd < seen.to) {
      signal.throwIfAborted();
      const stretch = latentEnd === 0 ? FLOW_STRETCH_FRAMES.first : FLOW_STRETCH_FRAMES.later;
      const stretchEnd = Math.min(latent.length, latentEnd + stretch);
      const around = widen({ from: latentEnd, to: stretchEnd }, flowReachFrames, prior.length);
      const flowed = await model.runFlow(sliceFrames(prior, around.from, around.to), speaker);
      for (; latentEnd < stretchEnd; latentEnd++) {
        copyFrame(flowed, latentEnd - around.from, latent, latentEnd);
      }
    }
    signal.throwIfAborted();
    const samples = await model.runDecoder(sliceFrames(latent, seen.from, seen.to), speaker);
    const start = (window.from - seen.from) * samplesPerFrame;
    yield clip(samples.slice(start, start + (window.to - window.from) * samplesPerFrame));
  }
}

function widen(
  range: { readonly from: number; readonly to: number },
  by: number,
  length: number,
): { from: number; to: number } {
  return { from: Math.max(0, range.from - by), to: Math.min(length, range.to + by) };
}

/** The last layer's tanh is an approximation that can pass full scale by a rounding error. */
function clip(samples: Float32Array): Float32Array {
  for (let index = 0; index < samples.length; index++) {
    samples[index] = Math.min(1, Math.max(-1, samples[index]!));
  }
  return samples;
}
