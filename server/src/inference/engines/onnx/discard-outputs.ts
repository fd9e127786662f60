import type { InferenceSession } from './onnxruntime.ts';

/** Missing in Node 20 without the flag of `WORKER_V8_FLAGS`. */
interface TransferableBuffer {
  transfer?(length: number): unknown;
}

/**
 * Frees the memory of outputs that nobody reads. The runtime returns a copy of every output, also of those it was given
 * memory for. Left to the garbage collector, the copies of a minute of speech are 50 MB, for which it marks the whole heap.
 */
export function discardOutputs(outputs: InferenceSession.OnnxValueMapType): void {
  for (const { data } of Object.values(outputs)) {
    if (data instanceof Float32Array) (data.buffer as TransferableBuffer).transfer?.(0);
  }
}
