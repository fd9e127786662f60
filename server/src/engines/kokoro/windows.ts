import { SAMPLES_PER_FRAME } from './features.ts';

/** A small first window brings the first audio early; later ones grow, since every window pays for its context. */
const WINDOW_FRAMES = [20, 60, 120] as const;

/** Cuts `[from, to)` into windows. No window is shorter than half of the first. */
export function planWindows(from: number, to: number): { from: number; to: number }[] {
  const windows: { from: number; to: number }[] = [];
  for (let start = from; start < to; ) {
    const size = WINDOW_FRAMES[Math.min(windows.length, WINDOW_FRAMES.length - 1)]!;
    const rest = to - start - size;
    const end = rest < WINDOW_FRAMES[0] / 2 ? to : start + size;
    windows.push({ from: start, to: end });
    start = end;
  }
  return windows;
}

/**
 * Decodes window by window and yields the samples of `[from, to)`. Neighbours share one frame, over which
 * they are faded into each other, so that what little they differ by makes no step.
 */
export async function* decodeInWindows(
  range: { readonly from: number; readonly to: number },
  decode: (from: number, to: number) => Promise<Float32Array>,
): AsyncGenerator<Float32Array> {
  const windows = planWindows(range.from, range.to);
  let sharedFrame: Float32Array | undefined;
  for (const [index, window] of windows.entries()) {
    const isLast = index === windows.length - 1;
    const samples = await decode(window.from, isLast ? window.to : window.to + 1);
    if (sharedFrame !== undefined) fadeInto(samples, sharedFrame);
    const length = (window.to - window.from) * SAMPLES_PER_FRAME;
    sharedFrame = isLast ? undefined : samples.slice(length);
    yield samples.slice(0, length);
  }
}

/** Replaces the start of `samples` by a fade from `previous` to it. */
function fadeInto(samples: Float32Array, previous: Float32Array): void {
  for (let index = 0; index < previous.length; index++) {
    const share = (index + 0.5) / previous.length;
    samples[index] = previous[index]! * (1 - share) + samples[index]! * share;
  }
}
