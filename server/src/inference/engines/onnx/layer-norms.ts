import { floatAttribute, intAttribute } from './attribute.ts';
import type { OnnxModel, OnnxNode } from './model.ts';
import { GraphIndex } from './subgraph.ts';
import { readFloats } from './tensor.ts';

/**
 * Replaces layer normalizations without bias that are exported as eight operators by one. ONNX Runtime does this itself
 * only for those with a bias. The replaced operators remain until the graph is pruned.
 */
export function fuseLayerNorms(model: OnnxModel): OnnxModel {
  const { graph } = model;
  const index = new GraphIndex(graph);
  const tensors = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  const inputOf = (node: OnnxNode | undefined, place: number, opType: string) => {
    const made = index.producerOf(node?.inputs[place] ?? '');
    return made?.opType === opType ? made : undefined;
  };
  const fuse = (node: OnnxNode): OnnxNode => {
    const weight = tensors.get(node.inputs[1] ?? '');
    if (node.opType !== 'Mul' || weight?.dims.length !== 1) return node;
    const divide = inputOf(node, 0, 'Div');
    const centred = inputOf(divide, 0, 'Sub');
    const plusEpsilon = inputOf(inputOf(divide, 1, 'Sqrt'), 0, 'Add');
    const square = inputOf(inputOf(plusEpsilon, 0, 'ReduceMean'), 0, 'Pow');
    const epsilon = tensors.get(plusEpsilon?.inputs[1] ?? '');
    const isNorm =
      inputOf(centred, 1, 'ReduceMean')?.inputs[0] === centred?.inputs[0] &&
      square?.inputs[0] === centred?.outputs[0];
    const hasBias = index
      .consumersOf(node.outputs[0]!)
      .some(({ opType, inputs }) => opType === 'Add' && inputs.some((name) => tensors.has(name)));
    if (centred === undefined || epsilon === undefined || !isNorm || hasBias) return node;
    return {
      name: `mynah/${node.outputs[0]}`,
      opType: 'LayerNormalization',
      domain: '',
      inputs: [centred.inputs[0]!, weight.name],
      outputs: node.outputs,
      attributes: [intAttribute('axis', -1), floatAttribute('epsilon', readFloats(epsilon)[0]!)],
    };
  };
  return { ...model, graph: { ...graph, nodes: graph.nodes.map(fuse) } };
}
