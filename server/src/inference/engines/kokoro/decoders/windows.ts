import { SAMPLES_PER_FRAME } from '../networks/features.ts';

/** A range of frames, `to` excluded. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * A small first window reduces the latency; later windows are longer, since every window also decodes its context. With 20
 * frames the second windows of many listeners who begin at the same time were late.
 */
const FIRST_FRAMES = 32;
/** Longer windows save little more and delay other utterances. */
const STEADY_FRAMES_MAX = 160;
/**
 * The second window must arrive while the first one plays, also for many listeners who begin at the same time, so it is
 * shorter than the steady ones.
 */
const SECOND_FRAMES_MAX = 80;
const SECOND_FRAMES_MIN = 40;
/** Minimum length of a window of a longer range. */
const FRAMES_MIN = 10;

/** Divides a range into windows. */
export function planWindows(range: Window, isLatencyCritical: boolean): Window[] {
  const { from, to } = range;
  const first = from + FIRST_FRAMES;
  if (!isLatencyCritical || to - first < FRAMES_MIN) return evenWindows(range);
  return [{ from, to: first }, ...planFollowingWindows({ from: first, to })];
}

/** Divides a range that follows the first window of a latency critical utterance. */
export function planFollowingWindows(range: Window): Window[] {
  const { from, to } = range;
  const steadyCount = Math.ceil((to - from - SECOND_FRAMES_MAX) / STEADY_FRAMES_MAX);
  if (steadyCount < 1) return evenWindows(range);
  const second = from + Math.max(SECOND_FRAMES_MIN, to - from - steadyCount * STEADY_FRAMES_MAX);
  return [{ from, to: second }, ...evenWindows({ from: second, to })];
}

function evenWindows({ from, to }: Window): Window[] {
  const count = Math.ceil((to - from) / STEADY_FRAMES_MAX);
  const boundary = (index: number) => from + Math.round(((to - from) * index) / count);
  return Array.from({ length: count }, (_, index) => ({ from: boundary(index), to: boundary(index + 1) }));
}

/** The frame after the last decoded window, decoded with it. */
export interface Overlap {
  samples: Float32Array | undefined;
}

/**
 * Decodes window by window. Neighbouring windows overlap by one frame and are crossfaded over it. `overlap` passes this
 * frame from one call to the next; `continues` states that another call follows.
 */
export async function* decodeInWindows(
  windows: readonly Window[],
  decode: (from: number, to: number) => Promise<Float32Array>,
  {
    overlap = { samples: undefined },
    continues = false,
  }: { readonly overlap?: Overlap; readonly continues?: boolean } = {},
): AsyncGenerator<Float32Array> {
  for (const [index, window] of windows.entries()) {
    const isLast = index === windows.length - 1 && !continues;
    const samples = await decode(window.from, isLast ? window.to : window.to + 1);
    if (overlap.samples !== undefined) fadeInto(samples, overlap.samples);
    const length = (window.to - window.from) * SAMPLES_PER_FRAME;
    overlap.samples = isLast ? undefined : samples.slice(length);
    yield samples.subarray(0, length);
  }
}

/** Replaces the start of `samples` by a crossfade from `previous`. */
function fadeInto(samples: Float32Array, previous: Float32Array): void {
  for (let index = 0; index < previous.length; index++) {
    const share = (index + 0.5) / previous.length;
    samples[index] = previous[index]! * (1 - share) + samples[index]! * share;
  }
}
