/** Values per channel and frame, channel-major, as in the tensors of the networks. */
export interface Frames {
  readonly channels: number;
  readonly length: number;
  readonly values: Float32Array;
}

export function createFrames(channels: number, length: number): Frames {
  return { channels, length, values: new Float32Array(channels * length) };
}

/** Copies the frames `[from, to)`. */
export function sliceFrames(frames: Frames, from: number, to: number): Frames {
  if (from === 0 && to === frames.length) return frames;
  const slice = createFrames(frames.channels, to - from);
  for (let channel = 0; channel < frames.channels; channel++) {
    const row = channel * frames.length;
    slice.values.set(frames.values.subarray(row + from, row + to), channel * slice.length);
  }
  return slice;
}

/** Copies one frame of `source` to a position in `target`. */
export function copyFrame(source: Frames, from: number, target: Frames, to: number): void {
  for (let channel = 0; channel < source.channels; channel++) {
    target.values[channel * target.length + to] = source.values[channel * source.length + from]!;
  }
}
