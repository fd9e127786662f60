import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { graphAttribute } from './attribute.ts';
import { type OnnxModel, readModel, writeGraph, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { dependenciesOf, extractSubgraph, GraphIndex, renameValues } from './subgraph.ts';
import { ELEMENT, floatTensor } from './tensor.ts';
import { OnnxError } from './wire.ts';

/** x → times two → plus three → squared → y, with an intermediate value as second output. */
function chain(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode('Mul', ['x', 'two'], ['doubled']),
      makeNode('Add', ['doubled', 'three'], ['moved']),
      makeNode('Mul', ['moved', 'moved'], ['y']),
      makeNode('Neg', ['doubled'], ['side']),
    ],
    initializers: [
      floatTensor('two', [1], Float32Array.of(2)),
      floatTensor('three', [1], Float32Array.of(3)),
      floatTensor('unused', [1], Float32Array.of(9)),
    ],
    inputs: [floats('x', 'n')],
    outputs: [floats('y', 'n'), floats('side', 'n')],
  });
}

async function runOn(model: OnnxModel, name: string, value: number): Promise<Record<string, number>> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  const outputs = await session.run({ [name]: new Tensor('float32', Float32Array.of(value), [1]) });
  await session.release();
  return Object.fromEntries(
    Object.entries(outputs).map(([key, tensor]) => [key, (tensor.data as Float32Array)[0]!]),
  );
}

test('the two parts of a cut model together equal the model', async () => {
  const model = readModel(writeModel(chain()));
  const seam = floats('moved', 'n');
  const front = extractSubgraph(model, { inputs: model.graph.inputs, outputs: [seam] });
  const back = extractSubgraph(model, { inputs: [seam], outputs: [floats('y', 'n')] });

  assert.deepEqual(await runOn(model, 'x', 4), { y: 121, side: -8 });
  assert.deepEqual(await runOn(front, 'x', 4), { moved: 11 });
  assert.deepEqual(await runOn(back, 'moved', 11), { y: 121 });
});

test('a part contains only the nodes and weights it needs', () => {
  const model = chain();
  const part = extractSubgraph(model, { inputs: model.graph.inputs, outputs: [floats('side', 'n')] });
  assert.deepEqual(
    part.graph.nodes.map((node) => node.outputs[0]),
    ['doubled', 'side'],
  );
  assert.deepEqual(
    part.graph.initializers.map((tensor) => tensor.name),
    ['two'],
  );
});

test('values captured by the body of a control flow node are kept', async () => {
  const body = (name: string, input: string) =>
    writeGraph({
      name,
      nodes: [makeNode('Add', [input, 'three'], [`${name}_out`])],
      initializers: [],
      inputs: [],
      outputs: [{ name: `${name}_out`, elementType: ELEMENT.float }],
    });
  const base = chain();
  const condition = makeNode(
    'If',
    ['flag'],
    ['chosen'],
    [graphAttribute('then_branch', body('yes', 'doubled')), graphAttribute('else_branch', body('no', 'x'))],
  );
  const model: OnnxModel = {
    ...base,
    graph: {
      ...base.graph,
      nodes: [...base.graph.nodes, makeNode('Greater', ['x', 'three'], ['flag']), condition],
    },
  };
  assert.deepEqual(new Set(dependenciesOf(condition)), new Set(['flag', 'doubled', 'three', 'x']));
  const part = extractSubgraph(model, { inputs: [floats('x', 1)], outputs: [floats('chosen', 1)] });
  assert.equal(part.graph.nodes.length, 3);
  assert.deepEqual(await runOn(part, 'x', 4), { chosen: 11 });
  assert.deepEqual(await runOn(part, 'x', 1), { chosen: 4 });
  assert.throws(() => renameValues(model.graph, new Map([['doubled', 'd']])), /inside the body/);
});

const BAD_CUTS = [
  {
    what: 'an output that no node produces',
    inputs: ['x'],
    outputs: ['nowhere'],
    message: /produces "nowhere"/,
  },
  {
    what: 'a part that needs an input not given',
    inputs: ['moved'],
    outputs: ['side'],
    message: /produces "x"/,
  },
  {
    what: 'an input that is not needed',
    inputs: ['x', 'moved'],
    outputs: ['side'],
    message: /depend on: moved/,
  },
];
for (const { what, inputs, outputs, message } of BAD_CUTS) {
  test(`${what} is rejected`, () => {
    const cut = {
      inputs: inputs.map((name) => floats(name, 'n')),
      outputs: outputs.map((name) => floats(name, 'n')),
    };
    assert.throws(() => extractSubgraph(chain(), cut), { name: OnnxError.name, message });
  });
}

test('a renamed value keeps its producer and its consumers', async () => {
  const { graph, ...rest } = chain();
  const renamed = renameValues(
    graph,
    new Map([
      ['doubled', 'twice'],
      ['x', 'number'],
      ['y', 'result'],
    ]),
  );
  assert.deepEqual(await runOn({ graph: renamed, ...rest }, 'number', 4), { result: 121, side: -8 });
  assert.throws(
    () => renameValues(graph, new Map([['doubled', 'three']])),
    /already has a value named "three"/,
  );
});

test('the index has the producer, consumers and ancestors of a value', () => {
  const index = new GraphIndex(chain().graph);
  assert.equal(index.producerOf('moved')?.opType, 'Add');
  assert.equal(index.producerOf('x'), undefined);
  assert.deepEqual(
    index.consumersOf('doubled').map((node) => node.opType),
    ['Add', 'Neg'],
  );
  assert.deepEqual(index.ancestorsOf('moved'), new Set(['moved', 'doubled', 'three', 'x', 'two']));
});
