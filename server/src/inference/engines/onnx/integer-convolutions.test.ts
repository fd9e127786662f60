import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { intAttribute, intsAttribute } from './attribute.ts';
import { replaceIntegerConvolutions } from './integer-convolutions.ts';
import { type OnnxModel, type OnnxNode, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { floatTensor, int64Tensor, uint8Tensor } from './tensor.ts';

const INPUTS = 3;
const OUTPUTS = 4;

interface Shape {
  readonly taps: number;
  readonly stride: number;
  readonly hasBias: boolean;
  readonly largest: number;
}

/** A one-dimensional convolution as written by the dynamic quantiser. */
function quantisedConvolution({ taps, stride, hasBias, largest }: Shape): OnnxModel {
  const pad = (taps - 1) / 2;
  const bytes = Uint8Array.from({ length: OUTPUTS * INPUTS * taps }, (_, i) => (i * 37) % (largest + 1));
  const conv = makeNode(
    'ConvInteger',
    ['quantised', 'weight', 'input_zero', 'weight_zero'],
    ['sums'],
    [
      intsAttribute('kernel_shape', [taps]),
      intsAttribute('pads', [pad, pad]),
      intsAttribute('strides', [stride]),
      intAttribute('group', 1),
    ],
  );
  const toInt32 = [intAttribute('to', 6)];
  const toFloat = [intAttribute('to', 1)];
  const rounding: OnnxNode[] = [
    makeNode('Div', ['bias', 'scale'], ['bias_steps']),
    makeNode('Floor', ['bias_steps'], ['bias_whole']),
    makeNode('Cast', ['bias_whole'], ['bias_integers'], toInt32),
    makeNode('Reshape', ['bias_integers', 'bias_shape'], ['bias_row']),
    makeNode('Add', ['sums', 'bias_row'], ['biased']),
  ];
  const bias = floatTensor('bias', [OUTPUTS], Float32Array.of(0.5, -1.5, 2, 0.25));
  return makeModel({
    nodes: [
      makeNode('DynamicQuantizeLinear', ['x'], ['quantised', 'input_scale', 'input_zero']),
      makeNode('Mul', ['input_scale', 'weight_scale'], ['scale']),
      conv,
      ...(hasBias ? rounding : []),
      makeNode('Cast', [hasBias ? 'biased' : 'sums'], ['floats'], toFloat),
      makeNode('Mul', ['floats', 'scale'], ['y']),
    ],
    initializers: [
      uint8Tensor('weight', [OUTPUTS, INPUTS, taps], bytes),
      uint8Tensor('weight_zero', [], Uint8Array.of(largest >> 1)),
      floatTensor('weight_scale', [], Float32Array.of(0.01)),
      ...(hasBias ? [bias, int64Tensor('bias_shape', [3], [1, -1, 1])] : []),
    ],
    inputs: [floats('x', 1, INPUTS, 'time')],
    outputs: [floats('y', 1, OUTPUTS, 'steps')],
  });
}

async function run(model: OnnxModel, x: Tensor): Promise<{ dims: readonly number[]; values: number[] }> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  try {
    const { y } = await session.run({ x });
    return { dims: y!.dims, values: [...(y!.data as Float32Array)] };
  } finally {
    await session.release();
  }
}

const hasConvolution = ({ graph }: OnnxModel) => graph.nodes.some((node) => node.opType === 'ConvInteger');

const CASES: readonly [name: string, shape: Shape][] = [
  ['three taps of seven bits with a bias', { taps: 3, stride: 1, hasBias: true, largest: 127 }],
  ['five taps of eight bits with a bias', { taps: 5, stride: 1, hasBias: true, largest: 255 }],
  ['one tap without a bias', { taps: 1, stride: 1, hasBias: false, largest: 127 }],
];

for (const [name, shape] of CASES) {
  test(`a quantised convolution of ${name} equals its matrix product`, async () => {
    const model = quantisedConvolution(shape);
    const multiplied = replaceIntegerConvolutions(model);
    assert.equal(hasConvolution(multiplied), false);
    const time = 7;
    const x = new Tensor(
      'float32',
      Float32Array.from({ length: INPUTS * time }, (_, index) => Math.sin(index) * 2 + 0.3),
      [1, INPUTS, time],
    );
    const [expected, actual] = [await run(model, x), await run(multiplied, x)];
    assert.deepEqual(actual.dims, expected.dims);
    // The bias is not rounded to integers.
    const step = (4.6 / 255) * 0.01;
    for (const [index, value] of actual.values.entries()) {
      assert.ok(Math.abs(value - expected.values[index]!) <= step * 1.01, `${value} at ${index}`);
    }
  });
}

test('a convolution with a stride is unchanged', () => {
  const model = quantisedConvolution({ taps: 3, stride: 2, hasBias: true, largest: 127 });
  assert.deepEqual(replaceIntegerConvolutions(model).graph.nodes, model.graph.nodes);
});
