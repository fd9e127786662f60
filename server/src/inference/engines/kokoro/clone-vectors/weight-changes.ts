import { GaussianNoise } from '../../../../audio/dsp/gaussian-noise.ts';

/** Rank of the change of the last layer of each block. */
const RANK = 4;
/** Channels of the blocks of the small decoder, and of their hidden layers relative to them. */
export const BLOCK_CHANNELS = [512, 512, 512, 512, 512, 256, 256] as const;
const HIDDEN_FACTOR = 3;
const SEED = 1;

/**
 * Values of the weight changes of a cloned voice. For each block a matrix of hidden channels by rank and one of rank by
 * channels, whose product is added to the weights of its last layer.
 */
export const WEIGHT_CHANGES_SIZE = BLOCK_CHANNELS.reduce(
  (sum, channels) => sum + (HIDDEN_FACTOR + 1) * channels * RANK,
  0,
);

/**
 * Weight changes that change nothing yet: the second matrices are zero. The first ones are random and the same for all
 * voices, so that mixtures of voices are near mixtures of their weights.
 */
export function initialWeightChanges(): Float32Array {
  const changes = new Float32Array(WEIGHT_CHANGES_SIZE);
  const random = new GaussianNoise(SEED);
  let at = 0;
  for (const channels of BLOCK_CHANNELS) {
    const size = HIDDEN_FACTOR * channels * RANK;
    const scale = 1 / Math.sqrt(HIDDEN_FACTOR * channels);
    for (let index = at; index < at + size; index++) changes[index] = random.next() * scale;
    at += size + RANK * channels;
  }
  return changes;
}

/** Weight changes with these second matrices, one after the other. */
export function weightChangesWith(secondMatrices: Float32Array): Float32Array {
  const changes = initialWeightChanges();
  let at = 0;
  for (const { from, to } of changeRanges()) {
    changes.set(secondMatrices.subarray(at, at + to - from), from);
    at += to - from;
  }
  return changes;
}

/** For each block, the range of the second matrix, by whose scale the whole change is scaled. */
export function changeRanges(): readonly { readonly from: number; readonly to: number }[] {
  let at = 0;
  return BLOCK_CHANNELS.map((channels) => {
    const from = at + HIDDEN_FACTOR * channels * RANK;
    at = from + RANK * channels;
    return { from, to: at };
  });
}
