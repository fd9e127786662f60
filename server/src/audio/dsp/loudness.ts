import { KWeighting } from './k-weighting.ts';

export const HOPS_PER_SECOND = 10;
export const HOPS_PER_BLOCK = 4;

// The offset from mean square to loudness for mono, and the gates, from ITU-R BS.1770.
export const OFFSET_LUFS = -0.691;
const ABSOLUTE_GATE_LUFS = -70;
export const RELATIVE_GATE_LU = -10;

const BINS_PER_LU = 10;
const BIN_COUNT = 80 * BINS_PER_LU;

/**
 * Measures the integrated loudness of a mono stream (ITU-R BS.1770). Memory is constant: the blocks are stored as a
 * histogram with bins of 0.1 dB, which only affects the precision of the relative gate.
 */
export class LoudnessMeter {
  readonly #weighting: KWeighting;
  readonly #hopSamples: number;
  readonly #recentHops = new Float64Array(HOPS_PER_BLOCK);
  readonly #counts = new Float64Array(BIN_COUNT);
  readonly #energies = new Float64Array(BIN_COUNT);
  #hopEnergy = 0;
  #hopFill = 0;
  #hopCount = 0;
  #blockCount = 0;
  #blockEnergy = 0;

  constructor(sampleRateHz: number) {
    this.#weighting = new KWeighting(sampleRateHz);
    this.#hopSamples = Math.round(sampleRateHz / HOPS_PER_SECOND);
  }

  /** Samples from one block to the next: 0.1 s. */
  get hopSamples(): number {
    return this.#hopSamples;
  }

  /** Seconds of audio above the absolute gate. */
  get gatedSeconds(): number {
    return this.#blockCount / HOPS_PER_SECOND;
  }

  process(samples: Float32Array): void {
    for (let offset = 0; offset < samples.length; ) {
      const count = Math.min(this.#hopSamples - this.#hopFill, samples.length - offset);
      this.#hopEnergy = this.#weighting.addEnergy(samples, offset, offset + count, this.#hopEnergy);
      this.#hopFill += count;
      offset += count;
      if (this.#hopFill === this.#hopSamples) this.#endHop();
    }
  }

  /** The loudness of all samples so far. Minus infinity for silence and for less than 0.4 seconds. */
  integratedLufs(): number {
    if (this.#blockCount === 0) return Number.NEGATIVE_INFINITY;
    const gate = energyToLufs(this.#blockEnergy / this.#blockCount) + RELATIVE_GATE_LU;
    return energyToLufs(this.#meanEnergyFrom(Math.max(0, binOf(gate))));
  }

  #endHop(): void {
    this.#weighting.flushDenormals();
    this.#recentHops[this.#hopCount % HOPS_PER_BLOCK] = this.#hopEnergy / this.#hopSamples;
    this.#hopCount++;
    this.#hopEnergy = 0;
    this.#hopFill = 0;
    if (this.#hopCount < HOPS_PER_BLOCK) return;
    const energy = this.#recentHops.reduce((sum, hop) => sum + hop, 0) / HOPS_PER_BLOCK;
    const bin = binOf(energyToLufs(energy));
    if (!(bin >= 0)) return;
    const index = Math.min(bin, BIN_COUNT - 1);
    this.#blockCount++;
    this.#blockEnergy += energy;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#energies[index] = (this.#energies[index] as number) + energy;
  }

  #meanEnergyFrom(firstBin: number): number {
    let count = 0;
    let energy = 0;
    for (let bin = firstBin; bin < BIN_COUNT; bin++) {
      count += this.#counts[bin] as number;
      energy += this.#energies[bin] as number;
    }
    return energy / count;
  }
}

function energyToLufs(energy: number): number {
  return OFFSET_LUFS + 10 * Math.log10(energy);
}

function binOf(lufs: number): number {
  return Math.floor((lufs - ABSOLUTE_GATE_LUFS) * BINS_PER_LU);
}

/** Measures the integrated loudness of a clip. */
export function measureLoudness(samples: Float32Array, sampleRateHz: number): number {
  const meter = new LoudnessMeter(sampleRateHz);
  meter.process(samples);
  return meter.integratedLufs();
}
