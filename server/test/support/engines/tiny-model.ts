import type { OnnxAttribute } from '../../../src/inference/engines/onnx/attribute.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, ValueInfo } from '../../../src/inference/engines/onnx/model.ts';
import { ELEMENT } from '../../../src/inference/engines/onnx/tensor.ts';

/** A node named after its first output. */
export function makeNode(
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly OnnxAttribute[] = [],
): OnnxNode {
  return { name: `make ${outputs[0]}`, opType, domain: '', inputs, outputs, attributes };
}

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
