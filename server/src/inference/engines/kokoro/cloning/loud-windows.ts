import { joinSamples } from '../../../../audio/pcm.ts';

/** Maximum number of windows of a recording. */
const WINDOWS_MAX = 6;
/** Windows that are quieter than the loudest by more than this factor are left out. */
const QUIETEST_SHARE = 0.25;

/** Windows of `size` samples, evenly spread over a recording. A shorter recording is repeated. */
export function loudWindows(samples: Float32Array, size: number): readonly Float32Array[] {
  if (samples.length === 0) return [];
  const whole = joinSamples(Array.from({ length: Math.ceil(size / samples.length) }, () => samples));
  const count = Math.min(WINDOWS_MAX, Math.floor(whole.length / size));
  const windows = Array.from({ length: count }, (_, index) => {
    const start = count === 1 ? 0 : Math.floor((index * (whole.length - size)) / (count - 1));
    return whole.slice(start, start + size);
  });
  const levels = windows.map((window) => Math.sqrt(window.reduce((sum, value) => sum + value * value, 0)));
  const loudest = Math.max(...levels);
  return windows.filter((_, index) => levels[index]! >= QUIETEST_SHARE * loudest);
}
