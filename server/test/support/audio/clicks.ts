/** Length of the frames whose spectrum is estimated; half of a frame overlaps the next. */
const FRAME_SECONDS = 0.03;
/** Order of the linear prediction, and white noise added to each frame, relative to its power, for stability. */
const PREDICTION_ORDER = 16;
const NOISE_POWER = 1e-3;
/** A click is at least this many times as high as any other prediction error near it. */
const RATIO = 3.5;
/** Errors nearer than `from` belong to the click; errors further away than `to` are unrelated to it. */
const NEAR_SECONDS = { from: 0.0015, to: 0.015 } as const;
/** Errors below this value are inaudible beside speech at its usual level. */
const FLOOR = 0.03;
/** Detections closer together than this are one click. */
const CLICK_SECONDS = 0.002;

/**
 * The times of clicks in speech, in seconds. A click is an isolated outlier of the linear prediction error, the usual
 * criterion in audio restoration: the error is what the spectrum around a sample does not explain. Voiced speech has an
 * outlier in every pitch period, so that none is isolated. The transient suppressor uses another measure (second
 * differences in the time domain), so that this detector is independent of it.
 */
export function findClicks(samples: Float32Array, sampleRateHz: number): number[] {
  const errors = predictionErrors(samples, Math.round(FRAME_SECONDS * sampleRateHz));
  const from = Math.round(NEAR_SECONDS.from * sampleRateHz);
  const to = Math.round(NEAR_SECONDS.to * sampleRateHz);
  const isIsolated = (at: number) => {
    for (let distance = from; distance <= to; distance++) {
      const near = Math.max(errors[at - distance] ?? 0, errors[at + distance] ?? 0);
      if (errors[at]! < RATIO * near) return false;
    }
    return true;
  };
  const clicks: number[] = [];
  for (let at = 0; at < errors.length; at++) {
    if (errors[at]! < FLOOR) continue;
    const seconds = at / sampleRateHz;
    const isNew = seconds - (clicks.at(-1) ?? Number.NEGATIVE_INFINITY) > CLICK_SECONDS;
    if (isNew && isIsolated(at)) clicks.push(seconds);
  }
  return clicks;
}

/** The magnitude of the linear prediction error of every sample. */
function predictionErrors(samples: Float32Array, frameSamples: number): Float32Array {
  const hop = frameSamples >> 1;
  const errors = new Float32Array(samples.length);
  const window = hannWindow(frameSamples);
  for (let start = 0; start < samples.length; start += hop) {
    const frameStart = start + (hop >> 1) - (frameSamples >> 1);
    const filter = predictionFilter(windowedFrame(samples, frameStart, window));
    for (let at = start; at < Math.min(samples.length, start + hop); at++) {
      let error = 0;
      for (let lag = Math.min(PREDICTION_ORDER, at); lag >= 0; lag--)
        error += filter[lag]! * samples[at - lag]!;
      errors[at] = Math.abs(error);
    }
  }
  return errors;
}

function hannWindow(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length));
}

/** The samples from `start` on, times the window; zero where there are none. */
function windowedFrame(samples: Float32Array, start: number, window: Float64Array): Float64Array {
  const frame = new Float64Array(window.length);
  const end = Math.min(window.length, samples.length - start);
  for (let i = Math.max(0, -start); i < end; i++) frame[i] = samples[start + i]! * window[i]!;
  return frame;
}

/** The prediction error filter of a frame, by the Levinson-Durbin recursion over its autocorrelation. */
function predictionFilter(frame: Float64Array): Float64Array {
  const autocorrelation = Float64Array.from({ length: PREDICTION_ORDER + 1 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < frame.length; i++) sum += frame[i]! * frame[i - lag]!;
    return sum;
  });
  let power = autocorrelation[0]! * (1 + NOISE_POWER) + 1e-9;
  const filter = new Float64Array(PREDICTION_ORDER + 1);
  filter[0] = 1;
  for (let order = 1; order <= PREDICTION_ORDER; order++) {
    let product = 0;
    for (let lag = 0; lag < order; lag++) product += filter[lag]! * autocorrelation[order - lag]!;
    const reflection = -product / power;
    const previous = filter.slice();
    for (let lag = 1; lag <= order; lag++) filter[lag]! += reflection * previous[order - lag]!;
    power *= 1 - reflection ** 2;
  }
  return filter;
}
