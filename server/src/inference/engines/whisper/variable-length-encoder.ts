import { intAttribute } from '../onnx/attribute.ts';
import type { OnnxModel, OnnxNode } from '../onnx/model.ts';
import { extractSubgraph, GraphIndex } from '../onnx/subgraph.ts';
import { ELEMENT, int64Tensor } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';

export const MEL_INPUT = 'input_features';
export const HIDDEN_OUTPUT = 'last_hidden_state';
const POSITIONS = 'embed_positions.weight';

/**
 * Makes the encoder accept any number of frames by slicing the position embeddings; the original requires 30 s.
 * Removes the outputs with the attention maps, which are hundreds of megabytes.
 */
export function makeEncoderVariableLength(model: OnnxModel): OnnxModel {
  const index = new GraphIndex(model.graph);
  const [add] = index.consumersOf(POSITIONS);
  const frames = add?.inputs.find((name) => name !== POSITIONS);
  if (add === undefined || frames === undefined) throw new OnnxError('This is not the encoder of Whisper.');
  const cut: OnnxNode[] = [
    makeNode('Shape', [frames], ['frame_shape']),
    {
      ...makeNode('Gather', ['frame_shape', 'frame_axis'], ['frame_count']),
      attributes: [intAttribute('axis', 0)],
    },
    makeNode('Slice', [POSITIONS, 'first_frame', 'frame_count', 'position_axis'], ['cut_positions']),
    { ...add, inputs: add.inputs.map((name) => (name === POSITIONS ? 'cut_positions' : name)) },
  ];
  const graph = {
    ...model.graph,
    nodes: model.graph.nodes.flatMap((node) => (node === add ? cut : [node])),
    initializers: [
      ...model.graph.initializers,
      int64Tensor('frame_axis', [1], [1]),
      int64Tensor('first_frame', [1], [0]),
      int64Tensor('position_axis', [1], [0]),
    ],
  };
  const inputs = model.graph.inputs.filter((input) => input.name === MEL_INPUT);
  const outputs = [{ name: HIDDEN_OUTPUT, elementType: ELEMENT.float }];
  return extractSubgraph({ ...model, graph }, { inputs, outputs });
}

function makeNode(opType: string, inputs: string[], outputs: string[]): OnnxNode {
  return { name: `mynah/${outputs[0]}`, opType, domain: '', inputs, outputs, attributes: [] };
}
