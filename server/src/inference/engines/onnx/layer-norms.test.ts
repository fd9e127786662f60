import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { intsAttribute } from './attribute.ts';
import { fuseLayerNorms } from './layer-norms.ts';
import { type OnnxModel, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { extractSubgraph } from './subgraph.ts';
import { floatTensor } from './tensor.ts';

const WIDTH = 24;
const weight = Float32Array.from({ length: WIDTH }, (_, index) => 0.5 + (index % 5) / 4);

function normModel(withBias: boolean): OnnxModel {
  const lastAxis = [intsAttribute('axes', [-1])];
  return makeModel({
    nodes: [
      makeNode('ReduceMean', ['x'], ['mean'], lastAxis),
      makeNode('Sub', ['x', 'mean'], ['centred']),
      makeNode('Pow', ['centred', 'two'], ['square']),
      makeNode('ReduceMean', ['square'], ['variance'], lastAxis),
      makeNode('Add', ['variance', 'epsilon'], ['safe']),
      makeNode('Sqrt', ['safe'], ['deviation']),
      makeNode('Div', ['centred', 'deviation'], ['standard']),
      makeNode('Mul', ['standard', 'weight'], [withBias ? 'scaled' : 'y']),
      ...(withBias ? [makeNode('Add', ['scaled', 'bias'], ['y'])] : []),
    ],
    initializers: [
      floatTensor('two', [], Float32Array.of(2)),
      floatTensor('epsilon', [], Float32Array.of(1e-5)),
      floatTensor('weight', [WIDTH], weight),
      ...(withBias ? [floatTensor('bias', [WIDTH], weight)] : []),
    ],
    inputs: [floats('x', 1, 'time', WIDTH)],
    outputs: [floats('y', 1, 'time', WIDTH)],
  });
}

async function run(model: OnnxModel): Promise<Float32Array> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  const values = Float32Array.from({ length: 3 * WIDTH }, (_, index) => Math.sin(index * 1.7) * 4 + 1);
  const { y } = await session.run({ x: new Tensor('float32', values, [1, 3, WIDTH]) });
  await session.release();
  return y!.data as Float32Array;
}

test('a layer normalization without bias becomes one operator with the same result', async () => {
  const model = normModel(false);
  const { inputs, outputs } = model.graph;
  const fused = extractSubgraph(fuseLayerNorms(model), { inputs, outputs });
  assert.deepEqual(
    fused.graph.nodes.map(({ opType }) => opType),
    ['LayerNormalization'],
  );
  const [expected, actual] = [await run(model), await run(fused)];
  for (const [index, value] of expected.entries()) assert.ok(Math.abs(value - actual[index]!) < 1e-5);
});

test('one with a bias is left to ONNX Runtime', () => {
  const model = normModel(true);
  assert.deepEqual(fuseLayerNorms(model), model);
});
