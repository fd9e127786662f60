import { readIntsAttribute } from '../onnx/attribute.ts';
import type { OnnxGraph, OnnxNode } from '../onnx/model.ts';
import { OnnxError } from '../onnx/wire.ts';

/** Receptive field of a convolutional network on either side. */
export interface ReceptiveField {
  /** In input steps, rounded up. */
  readonly frames: number;
  /** Output steps per input step. */
  readonly upsampling: number;
}

interface Span {
  readonly frames: number;
  readonly upsampling: number;
}

/**
 * Traverses a one-dimensional convolutional graph from `input` to `output`. Decoding a segment with this context on
 * both sides equals full decoding. Operators other than convolutions are assumed to be pointwise.
 */
export function measureReceptiveField(graph: OnnxGraph, input: string, output: string): ReceptiveField {
  const kernels = new Map(graph.initializers.map((tensor) => [tensor.name, tensor.dims.at(-1) ?? 1]));
  const spans = new Map<string, Span>([[input, { frames: 0, upsampling: 1 }]]);
  for (const node of graph.nodes) {
    const inputs = node.inputs.flatMap((name) => spans.get(name) ?? []);
    if (inputs.length === 0) continue;
    const widest: Span = {
      frames: Math.max(...inputs.map((span) => span.frames)),
      upsampling: Math.max(...inputs.map((span) => span.upsampling)),
    };
    const after = passThrough(node, widest, kernels.get(node.inputs[1] ?? ''));
    for (const name of node.outputs) spans.set(name, after);
  }
  const span = spans.get(output);
  if (span === undefined) throw new OnnxError(`"${output}" does not depend on "${input}".`);
  return { frames: Math.ceil(span.frames), upsampling: span.upsampling };
}

function passThrough(node: OnnxNode, before: Span, kernel: number | undefined): Span {
  if (node.opType !== 'Conv' && node.opType !== 'ConvTranspose') return before;
  if (kernel === undefined) throw new OnnxError(`Convolution "${node.name}" has no weights in the file.`);
  const dilation = readIntsAttribute(node.attributes, 'dilations')?.[0] ?? 1;
  const stride = readIntsAttribute(node.attributes, 'strides')?.[0] ?? 1;
  const padding = readIntsAttribute(node.attributes, 'pads')?.[0] ?? 0;
  const width = dilation * (kernel - 1);
  const side = Math.max(padding, width - padding);
  if (node.opType === 'ConvTranspose') {
    return {
      frames: before.frames + side / stride / before.upsampling,
      upsampling: before.upsampling * stride,
    };
  }
  if (stride !== 1) throw new OnnxError(`Convolution "${node.name}" has a stride, which is not supported.`);
  return { ...before, frames: before.frames + side / before.upsampling };
}
