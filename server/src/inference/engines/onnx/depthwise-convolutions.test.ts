import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { intAttribute, intsAttribute } from './attribute.ts';
import { flattenDepthwiseConvolutions } from './depthwise-convolutions.ts';
import { type OnnxModel, readModel, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { floatTensor } from './tensor.ts';

const CHANNELS = 16;
const TAPS = 7;

const swap = (input: string, output: string) =>
  makeNode('Transpose', [input], [output], [intsAttribute('perm', [0, 2, 1])]);

function convolution(group: number, outputs = [floats('y', 1, 'time', CHANNELS)]): OnnxModel {
  const weights = Float32Array.from({ length: (CHANNELS * CHANNELS * TAPS) / group }, (_, index) =>
    Math.sin(index),
  );
  const bias = Float32Array.from({ length: CHANNELS }, (_, index) => index / 10);
  return makeModel({
    nodes: [
      swap('x', 'channels_first'),
      makeNode(
        'Conv',
        ['channels_first', 'weights', 'bias'],
        ['mixed'],
        [intAttribute('group', group), intsAttribute('kernel_shape', [TAPS]), intsAttribute('pads', [4, 2])],
      ),
      swap('mixed', 'y'),
    ],
    initializers: [
      floatTensor('weights', [CHANNELS, CHANNELS / group, TAPS], weights),
      floatTensor('bias', [CHANNELS], bias),
    ],
    inputs: [floats('x', 1, 'time', CHANNELS)],
    outputs,
  });
}

async function run(model: OnnxModel, time: number): Promise<Float32Array> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  const values = Float32Array.from({ length: time * CHANNELS }, (_, index) => Math.cos(index * index));
  const { y } = await session.run({ x: new Tensor('float32', values, [1, time, CHANNELS]) });
  assert.deepEqual(y!.dims, [1, time, CHANNELS]);
  await session.release();
  return y!.data as Float32Array;
}

test('a depthwise convolution of height 1 gives the values of the one-dimensional one', async () => {
  const model = convolution(CHANNELS);
  const flat = flattenDepthwiseConvolutions(readModel(writeModel(model)));
  const { dims } = flat.graph.initializers.find(({ name }) => name === 'weights')!;
  assert.deepEqual(dims, [CHANNELS, 1, 1, TAPS]);
  for (const time of [1, 5, 64]) {
    const [expected, got] = [await run(model, time), await run(flat, time)];
    const difference = Math.max(...got.map((value, index) => Math.abs(value - expected[index]!)));
    assert.ok(difference < 1e-5, `${difference} of ${time} time steps`);
  }
});

test('other convolutions are left alone', () => {
  const ofGroups = convolution(CHANNELS / 2);
  assert.equal(flattenDepthwiseConvolutions(ofGroups), ofGroups);
  const isRead = convolution(CHANNELS, [
    floats('y', 1, 'time', CHANNELS),
    floats('mixed', 1, CHANNELS, 'time'),
  ]);
  assert.equal(flattenDepthwiseConvolutions(isRead), isRead);
});

test('a transposition that another node reads stays', async () => {
  const model = convolution(CHANNELS);
  const isShared = {
    ...model,
    graph: {
      ...model.graph,
      nodes: [...model.graph.nodes, makeNode('Neg', ['channels_first'], ['negative'])],
      outputs: [...model.graph.outputs, floats('negative', 1, CHANNELS, 'time')],
    },
  };
  const flat = flattenDepthwiseConvolutions(isShared);
  assert.notEqual(flat, isShared);
  assert.deepEqual(await run(flat, 20), await run(flattenDepthwiseConvolutions(model), 20));
});
