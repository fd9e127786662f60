import type { SpectrumKernel } from '../../../../audio/kernels/spectrum-kernel.ts';
import { createSynthesisKernel, HOPS_PER_FRAME } from '../networks/excitation.ts';

/** The longest window of an utterance with its context, in hops. Only tests decode longer ones. */
const KEPT_HOPS = 192 * HOPS_PER_FRAME;

/** Kernels with the memory of one window each. One is kept; decodings at the same time get further ones. */
export class KernelPool {
  #kept: SpectrumKernel | undefined;

  async use<Result>(hops: number, work: (kernel: SpectrumKernel) => Promise<Result>): Promise<Result> {
    const kernel = this.#take(hops);
    try {
      return await work(kernel);
    } finally {
      if (kernel.hops === KEPT_HOPS) this.#kept = kernel;
    }
  }

  #take(hops: number): SpectrumKernel {
    const kept = this.#kept;
    if (hops > KEPT_HOPS) return createSynthesisKernel(hops);
    this.#kept = undefined;
    return kept ?? createSynthesisKernel(KEPT_HOPS);
  }
}
