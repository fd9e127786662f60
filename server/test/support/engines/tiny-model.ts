import type { OnnxGraph, OnnxModel, ValueInfo } from '../../../src/inference/engines/onnx/model.ts';
import { ELEMENT } from '../../../src/inference/engines/onnx/tensor.ts';

export { makeNode } from '../../../src/inference/engines/onnx/node.ts';

/** A float input or output of a graph. */
export function floats(name: string, ...dims: (number | string)[]): ValueInfo {
  return { name, elementType: ELEMENT.float, dims };
}

/** A test model with the ONNX versions of current voice exports. */
export function makeModel(graph: Omit<OnnxGraph, 'name'>): OnnxModel {
  return {
    irVersion: 8,
    opsets: [{ domain: '', version: 15 }],
    metadata: new Map([['made_by', 'a test']]),
    graph: { name: 'graph', ...graph },
    otherFields: [],
  };
}
