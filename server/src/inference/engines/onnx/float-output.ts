import type { InferenceSession } from './onnxruntime.ts';

/** The values of a float32 output. Throws a `TypeError` when the model has no such output. */
export function floatOutput(outputs: InferenceSession.OnnxValueMapType, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (data instanceof Float32Array) return data;
  throw new TypeError(`The model has no float output named "${name}".`);
}
