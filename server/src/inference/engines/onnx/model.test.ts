import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import {
  floatAttribute,
  graphAttribute,
  intAttribute,
  intsAttribute,
  readFloatAttribute,
  readIntAttribute,
  readIntsAttribute,
  readTensorAttribute,
  tensorAttribute,
  textAttribute,
} from './attribute.ts';
import { type OnnxModel, readModel, writeGraph, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { ELEMENT, floatTensor, int64Tensor, readFloats, readIntegers } from './tensor.ts';
import { OnnxError } from './wire.ts';

/** y = x * weight + bias */
function affineModel(): OnnxModel {
  return makeModel({
    nodes: [makeNode('Mul', ['x', 'weight'], ['product']), makeNode('Add', ['product', 'bias'], ['y'])],
    initializers: [
      floatTensor('weight', [2], Float32Array.of(2, 3)),
      floatTensor('bias', [1], Float32Array.of(0.5)),
    ],
    inputs: [floats('x', 'rows', 2)],
    outputs: [floats('y', 'rows', 2)],
  });
}

async function run(model: OnnxModel, feeds: Record<string, Tensor>): Promise<Record<string, number[]>> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  try {
    const outputs = await session.run(feeds);
    return Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, [...(value.data as Float32Array)]]),
    );
  } finally {
    await session.release();
  }
}

test('a written model runs, and is unchanged when read back', async () => {
  const model = affineModel();
  const feeds = { x: new Tensor('float32', Float32Array.of(1, 1, 10, 10), [2, 2]) };
  assert.deepEqual(await run(model, feeds), { y: [2.5, 3.5, 20.5, 30.5] });

  const bytes = writeModel(model);
  const again = readModel(bytes);
  assert.deepEqual(writeModel(again), bytes);
  assert.deepEqual(again.graph.inputs, model.graph.inputs);
  assert.deepEqual(again.graph.outputs, model.graph.outputs);
  assert.deepEqual(again.opsets, model.opsets);
  assert.deepEqual(again.metadata, new Map([['made_by', 'a test']]));
  assert.deepEqual(
    again.graph.nodes.map((node) => node.opType),
    ['Mul', 'Add'],
  );
});

test('unknown fields survive a round trip', () => {
  const producerName = Uint8Array.of(0x12, 3, 0x61, 0x62, 0x63);
  const model: OnnxModel = { ...affineModel(), otherFields: [producerName] };
  assert.deepEqual(readModel(writeModel(model)).otherFields, [producerName]);
});

test('tensor values are decoded from every encoding', () => {
  const model = readModel(writeModel(affineModel()));
  assert.deepEqual([...readFloats(model.graph.initializers[0]!)], [2, 3]);
  assert.deepEqual(readIntegers(int64Tensor('shape', [3], [1, -1, 2 ** 40])), [1, -1, 2 ** 40]);

  // dims 2, type float, float_data packed; the same with one field per value.
  const header = [0x08, 2, 0x10, ELEMENT.float];
  const one = [0, 0, 0x80, 0x3f];
  const two = [0, 0, 0, 0x40];
  const packed = Uint8Array.from([...header, 0x22, 8, ...one, ...two]);
  const single = Uint8Array.from([...header, 0x25, ...one, 0x25, ...two]);
  for (const body of [packed, single]) {
    const tensor = { name: 't', elementType: ELEMENT.float, dims: [2], body: [body] };
    assert.deepEqual([...readFloats(tensor)], [1, 2]);
  }
});

test('reading a tensor as another type throws', () => {
  const integers = int64Tensor('n', [1], [1]);
  const reals = floatTensor('x', [1], Float32Array.of(1));
  assert.throws(() => readFloats(integers), /"n" has element type 7, not float/);
  assert.throws(() => readIntegers(reals), /"x" has element type 1, not an integer/);
  assert.throws(() => floatTensor('y', [2, 2], new Float32Array(3)), /cannot hold 3 numbers/);
  assert.throws(() => readFloats({ ...reals, dims: [2] }), /holds a different count of numbers/);
});

test('attributes are read by name and are undefined when not set', () => {
  const attributes = [
    intAttribute('axis', -1),
    intsAttribute('pads', [3, 0, 4]),
    floatAttribute('alpha', 0.5),
    textAttribute('mode', 'reflect'),
    tensorAttribute('value', floatTensor('', [1], Float32Array.of(7))),
  ];
  assert.equal(readIntAttribute(attributes, 'axis'), -1);
  assert.deepEqual(readIntsAttribute(attributes, 'pads'), [3, 0, 4]);
  assert.equal(readFloatAttribute(attributes, 'alpha'), 0.5);
  assert.deepEqual([...readFloats(readTensorAttribute(attributes, 'value')!)], [7]);
  assert.equal(readIntAttribute(attributes, 'group'), undefined);
  assert.equal(readIntsAttribute(attributes, 'strides'), undefined);
});

test('bodies of control flow nodes survive a round trip', async () => {
  const branch = (weight: string) =>
    writeGraph({
      name: weight,
      nodes: [makeNode('Mul', ['x', weight], [`${weight}_out`])],
      initializers: [],
      inputs: [],
      outputs: [{ name: `${weight}_out`, elementType: ELEMENT.float }],
    });
  const model = makeModel({
    nodes: [
      makeNode(
        'If',
        ['flag'],
        ['y'],
        [graphAttribute('then_branch', branch('double')), graphAttribute('else_branch', branch('half'))],
      ),
    ],
    initializers: [
      floatTensor('double', [1], Float32Array.of(2)),
      floatTensor('half', [1], Float32Array.of(0.5)),
    ],
    inputs: [{ name: 'flag', elementType: ELEMENT.bool, dims: [1] }, floats('x', 1)],
    outputs: [floats('y', 1)],
  });
  const again = readModel(writeModel(model));
  const x = new Tensor('float32', Float32Array.of(8), [1]);
  for (const [flag, expected] of [
    [1, 16],
    [0, 4],
  ] as const) {
    const feeds = { flag: new Tensor('bool', Uint8Array.of(flag), [1]), x };
    assert.deepEqual(await run(again, feeds), { y: [expected] });
  }
});

test('a model truncated at any byte is rejected', () => {
  const bytes = writeModel(affineModel());
  for (let length = 0; length < bytes.length; length++) {
    let model: OnnxModel;
    try {
      model = readModel(bytes.subarray(0, length));
    } catch (error) {
      assert.ok(error instanceof OnnxError, `${length} bytes: ${String(error)}`);
      continue;
    }
    // Truncation after the graph is not detectable; the model is complete up to there.
    assert.equal(model.graph.nodes.length, 2);
  }
});

test('random bytes are rejected with OnnxError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.throws(() => readModel(bytes), OnnxError);
    }),
    { numRuns: 500 },
  );
});

const REFUSED: readonly { what: string; bytes: Uint8Array; message: RegExp }[] = [
  { what: 'an empty file', bytes: new Uint8Array(), message: /not an ONNX model/ },
  { what: 'a web page', bytes: new TextEncoder().encode('<!DOCTYPE html><p>404'), message: /./ },
  {
    what: 'a field longer than the file',
    bytes: Uint8Array.of(0x3a, 0x7f, 0),
    message: /cut off or damaged/,
  },
  { what: 'an endless integer', bytes: new Uint8Array(20).fill(0xff), message: /longer than 10 bytes/ },
  { what: 'field number zero', bytes: Uint8Array.of(0x02, 0x00), message: /Field number 0/ },
];
for (const { what, bytes, message } of REFUSED) {
  test(`${what} is rejected with an explanation`, () => {
    assert.throws(() => readModel(bytes), { name: 'OnnxError', message });
  });
}
