import type { FrontResult } from './front.ts';

/**
 * The same speech with other token durations. Pitch and energy are resampled linearly within the token.
 */
export function retime(front: FrontResult, tokenFrames: Int32Array): FrontResult {
  const frames = tokenFrames.reduce((sum, count) => sum + count, 0);
  const frameTokens = new Int32Array(frames);
  const f0 = new Float32Array(2 * frames);
  const energy = new Float32Array(2 * frames);
  let from = 0;
  let to = 0;
  for (const [token, count] of tokenFrames.entries()) {
    const sourceCount = front.tokenFrames[token]!;
    frameTokens.fill(front.frameTokens[from]!, to, to + count);
    for (let half = 0; half < 2 * count; half++) {
      const source = 2 * from + ((half + 0.5) * sourceCount) / count - 0.5;
      f0[2 * to + half] = interpolate(front.f0, source);
      energy[2 * to + half] = interpolate(front.energy, source);
    }
    from += sourceCount;
    to += count;
  }
  return { frames, text: front.text, frameTokens, f0, energy, tokenFrames };
}

/** Linear interpolation at a fractional index. */
function interpolate(values: Float32Array, index: number): number {
  const at = Math.max(0, Math.min(values.length - 1, index));
  const left = Math.floor(at);
  const right = Math.min(values.length - 1, left + 1);
  return values[left]! + (values[right]! - values[left]!) * (at - left);
}
