import { readIntsAttribute } from '../onnx/attribute.ts';
import type { OnnxGraph, OnnxNode } from '../onnx/model.ts';
import { OnnxError } from '../onnx/wire.ts';

/** How far a stretch of a convolutional network looks to either side. */
export interface Reach {
  /** In steps of its input, rounded up. */
  readonly frames: number;
  /** Steps of the output per step of the input. */
  readonly upsampling: number;
}

interface Span {
  readonly frames: number;
  readonly upsampling: number;
}

/**
 * Follows a one-dimensional convolutional graph from `input` to `output`. Decoding a stretch with this much
 * context on both sides gives the same samples as decoding the whole. Operators other than convolutions are
 * taken to work step by step.
 */
export function measureReach(graph: OnnxGraph, input: string, output: string): Reach {
  const kernels = new Map(graph.initializers.map((tensor) => [tensor.name, tensor.dims.at(-1) ?? 1]));
  const spans = new Map<string, Span>([[input, { frames: 0, upsampling: 1 }]]);
  for (const node of graph.nodes) {
    const before = node.inputs.flatMap((name) => spans.get(name) ?? []);
    if (before.length === 0) continue;
    const widest: Span = {
      frames: Math.max(...before.map((span) => span.frames)),
      upsampling: Math.max(...before.map((span) => span.upsampling)),
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
  if (stride !== 1)
    throw new OnnxError(`Convolution "${node.name}" skips steps, which no VITS decoder does.`);
  return { ...before, frames: before.frames + side / before.upsampling };
}
