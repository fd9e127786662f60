import type { InferenceSession } from './onnxruntime.ts';

/** Missing in Node 20 without the flag of `WORKER_V8_FLAGS`. */
interface TransferableBuffer {
  transfer?(length: number): unknown;
}

/**
 * Frees outputs that are not used. ONNX Runtime returns a copy of every output, even where the caller has passed memory for
 * it. The copies of a minute of speech take 50 MB: left to the garbage collector, they cause full collections.
 */
export function discardOutputs(outputs: InferenceSession.OnnxValueMapType): void {
  for (const { data } of Object.values(outputs)) {
    if (data instanceof Float32Array) (data.buffer as TransferableBuffer).transfer?.(0);
  }
}
