import {
  HOPS_PER_BLOCK,
  HOPS_PER_SECOND,
  OFFSET_LUFS,
  RELATIVE_GATE_LU,
} from '../../../audio/dsp/loudness.ts';

/** The loudness meter's blocks (ITU-R BS.1770), in steps of equal length. */
export interface LoudnessBlocks {
  readonly blockSteps: number;
  readonly hopSteps: number;
}

const RELATIVE_GATE = 10 ** (RELATIVE_GATE_LU / 10);

export function blocksOfSteps(stepSeconds: number): LoudnessBlocks {
  return {
    blockSteps: Math.max(1, Math.round(HOPS_PER_BLOCK / HOPS_PER_SECOND / stepSeconds)),
    hopSteps: Math.max(1, Math.round(1 / HOPS_PER_SECOND / stepSeconds)),
  };
}

/**
 * The integrated loudness of speech whose K-weighted power is known for steps. Speech that is shorter than a block is one
 * block. Minus infinity for silence.
 */
export function integratedLoudness(
  powers: Float64Array,
  { blockSteps, hopSteps }: LoudnessBlocks,
  count = powers.length,
): number {
  const length = Math.min(blockSteps, count);
  const blocks = blocksFor(count);
  let blockCount = 0;
  let power = 0;
  let total = 0;
  for (let end = 1; end <= count; end++) {
    power += powers[end - 1]! - (end > length ? powers[end - 1 - length]! : 0);
    if (end < length || (end - length) % hopSteps !== 0) continue;
    blocks[blockCount++] = power;
    total += power;
  }
  const mean = meanAbove(blocks, blockCount, (RELATIVE_GATE * total) / blockCount) / length;
  return mean > 0 ? OFFSET_LUFS + 10 * Math.log10(mean) : Number.NEGATIVE_INFINITY;
}

function meanAbove(values: Float64Array, count: number, least: number): number {
  let total = 0;
  let counted = 0;
  for (let index = 0; index < count; index++) {
    const value = values[index]!;
    if (value < least) continue;
    total += value;
    counted++;
  }
  return total / counted;
}

/** One array for all calls, which are synchronous. */
let scratch = new Float64Array(0);

function blocksFor(count: number): Float64Array {
  if (scratch.length < count) scratch = new Float64Array(2 * count);
  return scratch;
}
