import { intAttribute, intsAttribute, readGraphAttributes, readTensorAttribute } from '../onnx/attribute.ts';
import { type OnnxGraph, type OnnxModel, type OnnxNode, readGraph } from '../onnx/model.ts';
import { extractSubgraph } from '../onnx/subgraph.ts';
import { ELEMENT, floatTensor, type OnnxTensor, readFloats } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';

/** Names of what enters and leaves the model. */
export const PORT = {
  windows: 'input',
  hidden: 'hidden',
  cell: 'cell',
  probabilities: 'probabilities',
  nextHidden: 'next_hidden',
  nextCell: 'next_cell',
} as const;

/** The width of what the model remembers. */
export const STATE_WIDTH = 128;
/** The taps of the branch for 16 kHz; the one for 8 kHz has half as many. */
const FILTER_TAPS = 256;
/** PyTorch keeps the gates of an LSTM as input, forget, cell, output; ONNX as input, output, forget, cell. */
const GATE_ORDER = [0, 3, 1, 2];

/**
 * Silero for many frames at once. The original takes one frame at a time and spends most of its time on being
 * called: here all frames go through the filters together, and one LSTM goes over them in order.
 */
export function toFrameSequence(model: OnnxModel): OnnxModel {
  const { graph, tensor, nameOf } = openBranch(model);
  const features = nameOf('/encoder/3/activation/Relu_output_0');
  const windows = model.graph.inputs.find((input) => input.name === PORT.windows)!;
  const encoder = extractSubgraph(
    { ...model, graph },
    { inputs: [windows], outputs: [{ name: features, elementType: ELEMENT.float }] },
  );
  const weights = (name: string) => orderGates(tensor(name));
  const initializers = [
    floatTensor('lstm_w', [1, 4 * STATE_WIDTH, STATE_WIDTH], weights('decoder.rnn.weight_ih')),
    floatTensor('lstm_r', [1, 4 * STATE_WIDTH, STATE_WIDTH], weights('decoder.rnn.weight_hh')),
    floatTensor(
      'lstm_b',
      [1, 8 * STATE_WIDTH],
      Float32Array.of(...weights('decoder.rnn.bias_ih'), ...weights('decoder.rnn.bias_hh')),
    ),
    floatTensor('speech_w', [STATE_WIDTH, 1], readFloats(tensor('decoder.decoder.2.weight'))),
    floatTensor('speech_b', [1], readFloats(tensor('decoder.decoder.2.bias'))),
  ];
  const nodes: OnnxNode[] = [
    // Frames, width, 1: the frames become the steps of one sequence.
    makeNode('Transpose', [features], ['steps'], [intsAttribute('perm', [0, 2, 1])]),
    makeNode(
      'LSTM',
      ['steps', 'lstm_w', 'lstm_r', 'lstm_b', '', PORT.hidden, PORT.cell],
      ['states', PORT.nextHidden, PORT.nextCell],
      [intAttribute('hidden_size', STATE_WIDTH)],
    ),
    makeNode('Relu', ['states'], ['positive_states']),
    makeNode('MatMul', ['positive_states', 'speech_w'], ['speech']),
    makeNode('Add', ['speech', 'speech_b'], ['speech_score']),
    makeNode('Sigmoid', ['speech_score'], [PORT.probabilities]),
  ];
  const state = (name: string) => ({ name, elementType: ELEMENT.float, dims: [1, 1, STATE_WIDTH] });
  return {
    ...encoder,
    graph: {
      ...encoder.graph,
      nodes: [...encoder.graph.nodes, ...nodes],
      initializers: [...encoder.graph.initializers, ...initializers],
      inputs: [...encoder.graph.inputs, state(PORT.hidden), state(PORT.cell)],
      outputs: [
        { name: PORT.probabilities, elementType: ELEMENT.float },
        state(PORT.nextHidden),
        state(PORT.nextCell),
      ],
    },
  };
}

/** The part of the model for 16 kHz, its constants, and the full name of a value in it. */
function openBranch(model: OnnxModel): {
  readonly graph: OnnxGraph;
  readonly tensor: (name: string) => OnnxTensor;
  readonly nameOf: (name: string) => string;
} {
  const choice = model.graph.nodes.find((node) => node.opType === 'If');
  for (const body of readGraphAttributes(choice?.attributes ?? [])) {
    const branch = readGraph(body);
    const nameOf = (name: string) =>
      branch.nodes.flatMap((node) => node.outputs).find((output) => output.endsWith(name)) ?? name;
    const tensor = (name: string) => {
      const maker = branch.nodes.find((node) => node.outputs[0] === nameOf(name));
      const value = readTensorAttribute(maker?.attributes ?? [], 'value');
      if (value === undefined) throw new OnnxError(`The model of voice activity has no constant "${name}".`);
      return value;
    };
    if (tensor('stft.forward_basis_buffer').dims[2] !== FILTER_TAPS) continue;
    return { graph: { ...branch, inputs: model.graph.inputs }, tensor, nameOf };
  }
  throw new OnnxError('This is not Silero, version 5: it has no branch for 16 kHz.');
}

function orderGates(tensor: OnnxTensor): Float32Array {
  const values = readFloats(tensor);
  const size = values.length / GATE_ORDER.length;
  const ordered = new Float32Array(values.length);
  for (const [place, gate] of GATE_ORDER.entries()) {
    ordered.set(values.subarray(gate * size, (gate + 1) * size), place * size);
  }
  return ordered;
}

function makeNode(
  opType: string,
  inputs: string[],
  outputs: string[],
  attributes: OnnxNode['attributes'] = [],
): OnnxNode {
  return { name: `mynah/${outputs[0]}`, opType, domain: '', inputs, outputs, attributes };
}
