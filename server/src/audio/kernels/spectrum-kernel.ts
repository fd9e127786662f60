import { WasmModule } from './wasm-module.ts';

/** Sums of spectra. Calls are synchronous, so any number of streams can share it. */
export interface SpectrumKernel {
  /** Bins of a source; the caller fills them. */
  readonly sourceReal: Float32Array;
  readonly sourceImaginary: Float32Array;
  /** Bins of the sum; the caller fills and reads them. */
  readonly sumReal: Float32Array;
  readonly sumImaginary: Float32Array;
  /**
   * Adds `bins` bins of the source from `from` on, turned by the conjugate of `cosine + i sine`, to the sum from `to` on.
   */
  addTurned(range: {
    readonly from: number;
    readonly to: number;
    readonly bins: number;
    readonly cosine: number;
    readonly sine: number;
  }): void;
  /** Adds a pulse to the first `bins` bins: `weight` in bin 0, and in each further bin the one before turned by `step`. */
  addPulse(bins: number, pulse: { readonly weight: number; readonly step: number }): void;
}

const spectrum = new WasmModule<'addTurned' | 'addPulse'>('spectrum.wasm');

export function createSpectrumKernel(bins: number): SpectrumKernel {
  const at = (index: number) => 4 * bins * index;
  const { memory, functions } = spectrum.instantiate(at(4));
  const array = (index: number) => new Float32Array(memory, at(index), bins);
  const [sourceReal, sourceImaginary, sumReal, sumImaginary] = [0, 1, 2, 3] as const;
  return {
    sourceReal: array(sourceReal),
    sourceImaginary: array(sourceImaginary),
    sumReal: array(sumReal),
    sumImaginary: array(sumImaginary),
    addTurned({ from, to, bins: count, cosine, sine }) {
      if (count <= 0) return;
      const [real, imaginary] = [at(sourceReal) + 4 * from, at(sourceImaginary) + 4 * from];
      const toReal = at(sumReal) + 4 * to;
      functions.addTurned(
        ...[real, imaginary, toReal, at(sumImaginary) + 4 * to],
        ...[toReal + 4 * count, cosine, sine],
      );
    },
    addPulse(count, { weight, step }) {
      if (count <= 0) return;
      functions.addPulse(
        ...[at(sumReal), at(sumImaginary), at(sumReal) + 4 * count],
        ...[weight, 0, weight * Math.cos(step), weight * Math.sin(step)],
        ...[Math.cos(2 * step), Math.sin(2 * step)],
      );
    },
  };
}
