import { SAMPLES_PER_FRAME } from './features.ts';

/** A stretch of frames. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A small first window brings the first audio early; later ones grow, since every window pays for its context. */
const EARLY_FRAMES = [20, 60, 120] as const;
/** Where nobody waits. Longer ones would save little more, and others wait while a window is decoded. */
const STEADY_FRAMES_MAX = 160;

/** Cuts a stretch into windows. No window is shorter than half of the first. */
export function planWindows(range: Window, isAwaited: boolean): Window[] {
  return isAwaited ? earlyWindows(range) : evenWindows(range);
}

function earlyWindows({ from, to }: Window): Window[] {
  const windows: Window[] = [];
  for (let start = from; start < to; ) {
    const size = EARLY_FRAMES[Math.min(windows.length, EARLY_FRAMES.length - 1)]!;
    const rest = to - start - size;
    const end = rest < EARLY_FRAMES[0] / 2 ? to : start + size;
    windows.push({ from: start, to: end });
    start = end;
  }
  return windows;
}

function evenWindows({ from, to }: Window): Window[] {
  const count = Math.ceil((to - from) / STEADY_FRAMES_MAX);
  const place = (index: number) => from + Math.round(((to - from) * index) / count);
  return Array.from({ length: count }, (_, index) => ({ from: place(index), to: place(index + 1) }));
}

/**
 * Decodes window by window and yields the samples of all. Neighbours share one frame, over which
 * they are faded into each other, so that what little they differ by makes no step.
 */
export async function* decodeInWindows(
  windows: readonly Window[],
  decode: (from: number, to: number) => Promise<Float32Array>,
): AsyncGenerator<Float32Array> {
  let sharedFrame: Float32Array | undefined;
  for (const [index, window] of windows.entries()) {
    const isLast = index === windows.length - 1;
    const samples = await decode(window.from, isLast ? window.to : window.to + 1);
    if (sharedFrame !== undefined) fadeInto(samples, sharedFrame);
    const length = (window.to - window.from) * SAMPLES_PER_FRAME;
    sharedFrame = isLast ? undefined : samples.slice(length);
    yield samples.subarray(0, length);
  }
}

/** Replaces the start of `samples` by a fade from `previous` to it. */
function fadeInto(samples: Float32Array, previous: Float32Array): void {
  for (let index = 0; index < previous.length; index++) {
    const share = (index + 0.5) / previous.length;
    samples[index] = previous[index]! * (1 - share) + samples[index]! * share;
  }
}
