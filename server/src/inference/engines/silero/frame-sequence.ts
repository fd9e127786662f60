import { intAttribute, readGraphAttributes, readTensorAttribute } from '../onnx/attribute.ts';
import { type OnnxModel, type OnnxNode, readGraph } from '../onnx/model.ts';
import { ELEMENT, floatTensor, int64Tensor, type OnnxTensor, readFloats } from '../onnx/tensor.ts';
import { OnnxError } from '../onnx/wire.ts';

/** Names of the inputs and outputs of the model. */
export const PORT = {
  even: 'even',
  odd: 'odd',
  hidden: 'hidden',
  cell: 'cell',
  probabilities: 'probabilities',
  nextHidden: 'next_hidden',
  nextCell: 'next_cell',
} as const;

/** Width of the LSTM state. */
export const STATE_WIDTH = 128;
/** STFT filter taps of the 16 kHz branch; the 8 kHz branch has half as many. */
export const FILTER_TAPS = 256;
/** Spectra per frame. */
export const SPECTRA_PER_FRAME = 4;
const BINS = FILTER_TAPS / 2 + 1;
/** Cosine filters are even and sine filters odd around the centre, so half of the taps suffice for each. */
export const EVEN_TAPS = FILTER_TAPS / 2 + 1;
export const ODD_TAPS = FILTER_TAPS / 2 - 1;
/** Strides of the convolutions of the encoder. */
const STRIDES = [1, 2, 2, 1];
/** PyTorch orders the gates of an LSTM as input, forget, cell, output; ONNX as input, output, forget, cell. */
const GATE_ORDER = [0, 3, 1, 2];

/**
 * Converts Silero to a model for a sequence of frames. The original processes one frame per call, and the overhead
 * of the calls dominates. Filters and convolutions do not cross frames, so they become matrix products over all
 * frames, which the runtime executes several times faster; one LSTM processes the frames in order.
 */
export function toFrameSequence(model: OnnxModel): OnnxModel {
  const tensor = openBranch(model);
  const weights = (name: string) => orderGates(tensor(name));
  const spectra = makeSpectra(readFloats(tensor('stft.forward_basis_buffer')));
  const encoder = makeEncoder(tensor);
  const initializers = [
    ...spectra.initializers,
    ...encoder.initializers,
    floatTensor('lstm_w', [1, 4 * STATE_WIDTH, STATE_WIDTH], weights('decoder.rnn.weight_ih')),
    floatTensor('lstm_r', [1, 4 * STATE_WIDTH, STATE_WIDTH], weights('decoder.rnn.weight_hh')),
    floatTensor(
      'lstm_b',
      [1, 8 * STATE_WIDTH],
      Float32Array.of(...weights('decoder.rnn.bias_ih'), ...weights('decoder.rnn.bias_hh')),
    ),
    floatTensor('speech_w', [STATE_WIDTH, 1], readFloats(tensor('decoder.decoder.2.weight'))),
    floatTensor('speech_b', [1], readFloats(tensor('decoder.decoder.2.bias'))),
    int64Tensor('steps_shape', [3], [-1, 1, STATE_WIDTH]),
  ];
  const nodes: OnnxNode[] = [
    ...spectra.nodes,
    ...encoder.nodes,
    // The frames become the time steps of one sequence.
    makeNode('Reshape', [encoder.output, 'steps_shape'], ['steps']),
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
  const float = (name: string, ...dims: readonly (number | string)[]) => ({
    name,
    elementType: ELEMENT.float,
    dims,
  });
  const state = (name: string) => float(name, 1, 1, STATE_WIDTH);
  return {
    ...model,
    graph: {
      ...model.graph,
      nodes,
      initializers,
      inputs: [
        float(PORT.even, 'spectra', EVEN_TAPS),
        float(PORT.odd, 'spectra', ODD_TAPS),
        state(PORT.hidden),
        state(PORT.cell),
      ],
      outputs: [float(PORT.probabilities, 'frames', 1, 1, 1), state(PORT.nextHidden), state(PORT.nextCell)],
    },
  };
}

interface GraphPart {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
}

/** The magnitudes of all spectra of a frame in one row. `basis` contains the cosines of each bin, then the sines. */
function makeSpectra(basis: Float32Array): GraphPart {
  const column = (bin: number, tap: number) => basis[bin * FILTER_TAPS + tap]!;
  return {
    initializers: [
      floatTensor(
        'cosines',
        [EVEN_TAPS, BINS],
        matrix(EVEN_TAPS, BINS, (tap, bin) => column(bin, tap)),
      ),
      floatTensor(
        'sines',
        [ODD_TAPS, BINS],
        matrix(ODD_TAPS, BINS, (tap, bin) => column(BINS + bin, tap + 1)),
      ),
      int64Tensor('frames_shape', [2], [-1, SPECTRA_PER_FRAME * BINS]),
    ],
    nodes: [
      makeNode('MatMul', [PORT.even, 'cosines'], ['real']),
      makeNode('MatMul', [PORT.odd, 'sines'], ['imaginary']),
      makeNode('Mul', ['real', 'real'], ['real_squares']),
      makeNode('Mul', ['imaginary', 'imaginary'], ['imaginary_squares']),
      makeNode('Add', ['real_squares', 'imaginary_squares'], ['powers']),
      makeNode('Sqrt', ['powers'], ['magnitudes']),
      makeNode('Reshape', ['magnitudes', 'frames_shape'], ['layer_0']),
    ],
  };
}

/** The convolutions over the spectra of one frame, each as one matrix. */
function makeEncoder(tensor: (name: string) => OnnxTensor): GraphPart & { readonly output: string } {
  const nodes: OnnxNode[] = [];
  const initializers: OnnxTensor[] = [];
  let positions = SPECTRA_PER_FRAME;
  for (const [layer, stride] of STRIDES.entries()) {
    const kernel = tensor(`encoder.${layer}.reparam_conv.weight`);
    const bias = readFloats(tensor(`encoder.${layer}.reparam_conv.bias`));
    const positionsOut = Math.ceil(positions / stride);
    const weights = convolutionMatrix(kernel, { positions, positionsOut, stride });
    const [w, b, sum] = [`conv_${layer}_w`, `conv_${layer}_b`, `conv_${layer}`];
    initializers.push(
      floatTensor(w, [weights.length / (positionsOut * bias.length), positionsOut * bias.length], weights),
      floatTensor(
        b,
        [positionsOut * bias.length],
        matrix(positionsOut, bias.length, (_, channel) => bias[channel]!),
      ),
    );
    nodes.push(
      makeNode('Gemm', [`layer_${layer}`, w, b], [sum]),
      makeNode('Relu', [sum], [`layer_${layer + 1}`]),
    );
    positions = positionsOut;
  }
  return { nodes, initializers, output: `layer_${STRIDES.length}` };
}

/** The matrix of a 3-tap convolution with zero padding, over rows with the channels of each position in sequence. */
function convolutionMatrix(
  kernel: OnnxTensor,
  { positions, positionsOut, stride }: { positions: number; positionsOut: number; stride: number },
): Float32Array {
  const [channelsOut = 0, channels = 0, taps = 0] = kernel.dims;
  const values = readFloats(kernel);
  return matrix(positions * channels, positionsOut * channelsOut, (row, column) => {
    const [from, channel] = [Math.floor(row / channels), row % channels];
    const [to, channelOut] = [Math.floor(column / channelsOut), column % channelsOut];
    const tap = from - to * stride + 1;
    return tap < 0 || tap >= taps ? 0 : values[(channelOut * channels + channel) * taps + tap]!;
  });
}

function matrix(rows: number, columns: number, value: (row: number, column: number) => number): Float32Array {
  return Float32Array.from({ length: rows * columns }, (_, index) =>
    value(Math.floor(index / columns), index % columns),
  );
}

/** Looks up the constants of the 16 kHz branch by the suffix of their names. */
function openBranch(model: OnnxModel): (name: string) => OnnxTensor {
  const choice = model.graph.nodes.find((node) => node.opType === 'If');
  for (const body of readGraphAttributes(choice?.attributes ?? [])) {
    const branch = readGraph(body);
    const tensor = (name: string) => {
      const maker = branch.nodes.find((node) => node.outputs[0]?.endsWith(name));
      const value = readTensorAttribute(maker?.attributes ?? [], 'value');
      if (value === undefined) throw new OnnxError(`The VAD model has no constant "${name}".`);
      return value;
    };
    if (tensor('stft.forward_basis_buffer').dims[2] === FILTER_TAPS) return tensor;
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
