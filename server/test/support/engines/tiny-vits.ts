import { GaussianNoise } from '../../../src/audio/dsp/gaussian-noise.ts';
import {
  floatAttribute,
  intAttribute,
  intsAttribute,
} from '../../../src/inference/engines/onnx/attribute.ts';
import type { OnnxModel, OnnxNode } from '../../../src/inference/engines/onnx/model.ts';
import {
  ELEMENT,
  floatTensor,
  int64Tensor,
  type OnnxTensor,
} from '../../../src/inference/engines/onnx/tensor.ts';
import type { PiperConfig } from '../../../src/inference/engines/vits/piper-config.ts';
import { floats, makeModel, makeNode } from './tiny-model.ts';

const CHANNELS = 4;
const SPEAKER_SIZE = 6;
const DECODER_CHANNELS = 8;
const SYMBOLS = '_^$ abcdefghijklmnopqrstuvwxyz,.!?';

/** Configuration of the tiny model. It is trained on letters and needs no phonemizer. */
export const TINY_CONFIG: PiperConfig = {
  sampleRateHz: 22050,
  phonemeType: 'text',
  espeakVoice: 'en-us',
  language: 'en-US',
  languageTag: 'en-US',
  symbolIds: new Map([...SYMBOLS].map((symbol, id) => [symbol, [id]])),
  speakerRows: new Map(),
  noiseScale: 0.5,
  lengthScale: 1,
  durationNoiseScale: 0.2,
};

/** A test model with the structure of a Piper voice and random weights. */
export function makeTinyVits(options: { readonly speakerCount: number }): OnnxModel {
  const weights = new Weights();
  const isMultiSpeaker = options.speakerCount > 0;
  const convForSpeaker: SpeakerConv = (output, convolution) => {
    if (!isMultiSpeaker) return [weights.conv(output, convolution)];
    const channels = [SPEAKER_SIZE, convolution.channels[1]] as const;
    return [
      weights.conv(`${output}_alone`, convolution),
      weights.conv(`${output}_speaker`, { from: 'g', channels, kernel: 1 }),
      makeNode('Add', [`${output}_alone`, `${output}_speaker`], [output]),
    ];
  };
  const nodes = [
    ...scaleNodes(weights),
    ...(isMultiSpeaker ? speakerNodes(weights, options.speakerCount) : []),
    ...textNodes(weights),
    ...durationNodes(weights, convForSpeaker),
    ...alignmentNodes(weights),
    ...flowNodes(weights, convForSpeaker),
    ...decoderNodes(weights, convForSpeaker),
  ];
  return makeModel({
    nodes,
    initializers: weights.tensors,
    inputs: [
      { name: 'input', elementType: ELEMENT.int64, dims: ['batch', 'phonemes'] },
      { name: 'input_lengths', elementType: ELEMENT.int64, dims: ['batch'] },
      floats('scales', 3),
      ...(isMultiSpeaker ? [{ name: 'sid', elementType: ELEMENT.int64, dims: ['batch'] }] : []),
    ],
    outputs: [floats('output', 'batch', 1, 1, 'time')],
  });
}

interface Convolution {
  readonly from: string;
  readonly channels: readonly [number, number];
  readonly kernel: number;
  readonly dilation?: number;
}

/** A convolution that is conditioned on the speaker in multi-speaker models. */
type SpeakerConv = (output: string, convolution: Convolution) => OnnxNode[];

function scaleNodes(weights: Weights): OnnxNode[] {
  return ['noise_scale', 'length_scale', 'noise_w'].map((name, index) =>
    makeNode('Gather', ['scales', weights.integers(`${name}_at`, [index])], [name]),
  );
}

function speakerNodes(weights: Weights, speakerCount: number): OnnxNode[] {
  return [
    makeNode('Gather', [weights.random('emb_g', [speakerCount, SPEAKER_SIZE]), 'sid'], ['g_row']),
    makeNode('Unsqueeze', ['g_row', weights.integers('last', [-1])], ['g']),
  ];
}

function textNodes(weights: Weights): OnnxNode[] {
  return [
    makeNode('Gather', [weights.random('emb', [SYMBOLS.length, CHANNELS]), 'input'], ['embedded']),
    makeNode('Transpose', ['embedded'], ['x_all'], [intsAttribute('perm', [0, 2, 1])]),
    makeNode('Cast', ['input_lengths'], ['length'], [intAttribute('to', ELEMENT.float)]),
    makeNode('Mul', ['length', weights.floats('zero', [0])], ['nothing']),
    makeNode('Add', ['x_all', 'nothing'], ['x']),
    weights.conv('m_p', { from: 'x', channels: [CHANNELS, CHANNELS], kernel: 3 }),
    weights.conv('logs_p', { from: 'x', channels: [CHANNELS, CHANNELS], kernel: 1 }),
  ];
}

function durationNodes(weights: Weights, convForSpeaker: SpeakerConv): OnnxNode[] {
  return [
    weights.conv('dp_shape', { from: 'x', channels: [CHANNELS, 2], kernel: 1 }),
    makeNode('RandomNormalLike', ['dp_shape'], ['dp_noise']),
    makeNode('Mul', ['dp_noise', 'noise_w'], ['dp_scaled']),
    makeNode('Add', ['dp_scaled', 'dp_shape'], ['dp_in']),
    ...convForSpeaker('logw', { from: 'dp_in', channels: [2, 1], kernel: 3 }),
    makeNode('Tanh', ['logw'], ['logw_bounded']),
    makeNode('Exp', ['logw_bounded'], ['w_own']),
    makeNode('Mul', ['w_own', weights.floats('pace', [2.5])], ['w_paced']),
    makeNode('Mul', ['w_paced', 'length_scale'], ['w']),
    makeNode('Ceil', ['w'], ['w_ceil']),
  ];
}

function alignmentNodes(weights: Weights): OnnxNode[] {
  const toFloat = [intAttribute('to', ELEMENT.float)];
  const spread = (value: string, frameValue: string): OnnxNode[] => [
    makeNode('Transpose', [value], [`${value}_t`], [intsAttribute('perm', [0, 2, 1])]),
    makeNode('MatMul', ['alignment', `${value}_t`], [`${frameValue}_t`]),
    makeNode('Transpose', [`${frameValue}_t`], [frameValue], [intsAttribute('perm', [0, 2, 1])]),
  ];
  return [
    makeNode(
      'ReduceSum',
      ['w_ceil', weights.integers('both', [0, 1, 2])],
      ['frames'],
      [intAttribute('keepdims', 0)],
    ),
    makeNode('Range', [weights.scalar('from', 0), 'frames', weights.scalar('by', 1)], ['frame_numbers']),
    makeNode('Unsqueeze', ['frame_numbers', weights.integers('outer', [0, 2])], ['frame_column']),
    makeNode('CumSum', ['w_ceil', weights.integerScalar('time_axis', 2)], ['ends']),
    makeNode('Sub', ['ends', 'w_ceil'], ['starts']),
    makeNode('Less', ['frame_column', 'ends'], ['before_end']),
    makeNode('Less', ['frame_column', 'starts'], ['before_start']),
    makeNode('Cast', ['before_end'], ['before_end_number'], toFloat),
    makeNode('Cast', ['before_start'], ['before_start_number'], toFloat),
    makeNode('Sub', ['before_end_number', 'before_start_number'], ['alignment']),
    ...spread('m_p', 'm_frames'),
    ...spread('logs_p', 'logs_frames'),
    makeNode('RandomNormalLike', ['m_frames'], ['noise']),
    makeNode('Exp', ['logs_frames'], ['deviation']),
    makeNode('Mul', ['noise', 'deviation'], ['noise_deviated']),
    makeNode('Mul', ['noise_deviated', 'noise_scale'], ['noise_scaled']),
    makeNode('Add', ['m_frames', 'noise_scaled'], ['z_p']),
  ];
}

function flowNodes(weights: Weights, convForSpeaker: SpeakerConv): OnnxNode[] {
  return [
    makeNode('Unsqueeze', ['frame_numbers', weights.integers('front', [0, 1])], ['frame_row']),
    makeNode('Less', ['frame_row', 'frames'], ['mask_flags']),
    makeNode('Cast', ['mask_flags'], ['mask'], [intAttribute('to', ELEMENT.float)]),
    ...convForSpeaker('flowed', { from: 'z_p', channels: [CHANNELS, CHANNELS], kernel: 5 }),
    makeNode('Mul', ['flowed', 'mask'], ['z']),
  ];
}

function decoderNodes(weights: Weights, convForSpeaker: SpeakerConv): OnnxNode[] {
  const nodes = convForSpeaker('pre', { from: 'z', channels: [CHANNELS, DECODER_CHANNELS], kernel: 7 });
  let value = 'pre';
  for (const [index, stride] of [8, 8, 4].entries()) {
    nodes.push(
      makeNode('LeakyRelu', [value], [`active${index}`], [floatAttribute('alpha', 0.1)]),
      weights.upsampling(`up${index}`, { from: `active${index}`, stride }),
      weights.conv(`res${index}`, {
        from: `up${index}`,
        channels: [DECODER_CHANNELS, DECODER_CHANNELS],
        kernel: 3,
        dilation: 2,
      }),
      makeNode('Add', [`up${index}`, `res${index}`], [`level${index}`]),
    );
    value = `level${index}`;
  }
  return [
    ...nodes,
    weights.conv('post', { from: value, channels: [DECODER_CHANNELS, 1], kernel: 7 }),
    makeNode('Tanh', ['post'], ['wave']),
    makeNode('Unsqueeze', ['wave', weights.integers('second', [1])], ['output']),
  ];
}

/** Creates named weights and the convolutions that use them. */
class Weights {
  readonly tensors: OnnxTensor[] = [];
  readonly #noise = new GaussianNoise(1);

  random(name: string, dims: readonly number[], scale = 1): string {
    const values = new Float32Array(dims.reduce((product, dim) => product * dim, 1));
    this.#noise.fill(values);
    return this.#add(
      floatTensor(
        name,
        dims,
        values.map((value) => value * scale),
      ),
    );
  }

  floats(name: string, values: readonly number[]): string {
    return this.#add(floatTensor(name, [values.length], Float32Array.from(values)));
  }

  scalar(name: string, value: number): string {
    return this.#add(floatTensor(name, [], Float32Array.of(value)));
  }

  integers(name: string, values: readonly number[]): string {
    return this.#add(int64Tensor(name, [values.length], values));
  }

  integerScalar(name: string, value: number): string {
    return this.#add(int64Tensor(name, [], [value]));
  }

  conv(output: string, options: Convolution): OnnxNode {
    const { from, kernel, dilation = 1 } = options;
    const [channelsIn, channelsOut] = options.channels;
    const weight = this.random(
      `${output}.weight`,
      [channelsOut, channelsIn, kernel],
      (channelsIn * kernel) ** -0.5,
    );
    const padding = (dilation * (kernel - 1)) / 2;
    return makeNode(
      'Conv',
      [from, weight],
      [output],
      [intsAttribute('dilations', [dilation]), intsAttribute('pads', [padding, padding])],
    );
  }

  upsampling(output: string, options: { from: string; stride: number }): OnnxNode {
    const { from, stride } = options;
    const weight = this.random(`${output}.weight`, [DECODER_CHANNELS, DECODER_CHANNELS, 2 * stride], 0.2);
    return makeNode(
      'ConvTranspose',
      [from, weight],
      [output],
      [intsAttribute('strides', [stride]), intsAttribute('pads', [stride / 2, stride / 2])],
    );
  }

  #add(tensor: OnnxTensor): string {
    this.tensors.push(tensor);
    return tensor.name;
  }
}
