import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { type OnnxModel, writeModel } from './model.ts';
import { InferenceSession, Tensor } from './onnxruntime.ts';
import { areSignedProductsExact, signWeights } from './signed-weights.ts';
import { ELEMENT, floatTensor, int64Tensor, uint8Tensor } from './tensor.ts';

const DEPTH = 40;
const COLUMNS = 24;
const ROWS = 5;
/** Within seven bits around the zero point, where no processor saturates. */
const weights = Uint8Array.from({ length: DEPTH * COLUMNS }, (_, index) => 96 + ((index * 37) % 64));
const input = Uint8Array.from({ length: ROWS * DEPTH }, (_, index) => (index * 53) % 256);

/** A product with weights that a second node reads as they are. */
function productModel(): OnnxModel {
  return makeModel({
    nodes: [
      makeNode('MatMulInteger', ['x', 'weights', 'x_zero', 'zero'], ['product']),
      makeNode('Identity', ['weights'], ['copy']),
    ],
    initializers: [
      uint8Tensor('weights', [DEPTH, COLUMNS], weights),
      uint8Tensor('zero', [], Uint8Array.of(131)),
      uint8Tensor('x_zero', [], Uint8Array.of(7)),
    ],
    inputs: [{ name: 'x', elementType: ELEMENT.uint8, dims: ['rows', DEPTH] }],
    outputs: [
      { name: 'product', elementType: ELEMENT.int32 },
      { name: 'copy', elementType: ELEMENT.uint8 },
    ],
  });
}

async function run(model: OnnxModel) {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  const { product, copy } = await session.run({ x: new Tensor('uint8', input, [ROWS, DEPTH]) });
  await session.release();
  return { product: [...(product!.data as Int32Array)], copy: [...(copy!.data as Uint8Array)] };
}

test('a product with int8 weights equals that with uint8 weights, and other readers keep theirs', async () => {
  const model = productModel();
  const signed = signWeights(model);
  assert.deepEqual(await run(signed), await run(model));
  const types = new Map(signed.graph.initializers.map(({ name, elementType }) => [name, elementType]));
  assert.equal(types.get('weights.signed'), ELEMENT.int8);
  assert.equal(types.get('weights'), ELEMENT.uint8);
  assert.equal(types.has('zero'), false);
});

test('a table that is read by rows and transposed for a product is converted once', async () => {
  const table = uint8Tensor('table', [COLUMNS, DEPTH], weights);
  const model = makeModel({
    nodes: [
      makeNode('Gather', ['table', 'row'], ['row_q']),
      makeNode('DequantizeLinear', ['row_q', 'scale', 'zero'], ['copy']),
      makeNode('Transpose', ['table'], ['weights']),
      makeNode('MatMulInteger', ['x', 'weights', 'x_zero', 'zero'], ['product']),
    ],
    initializers: [
      table,
      int64Tensor('row', [1], [3]),
      floatTensor('scale', [], Float32Array.of(0.5)),
      uint8Tensor('zero', [], Uint8Array.of(131)),
      uint8Tensor('x_zero', [], Uint8Array.of(7)),
    ],
    inputs: [{ name: 'x', elementType: ELEMENT.uint8, dims: ['rows', DEPTH] }],
    outputs: [
      { name: 'product', elementType: ELEMENT.int32 },
      { name: 'copy', elementType: ELEMENT.float },
    ],
  });
  const signed = signWeights(model);
  assert.deepEqual(await run(signed), await run(model));
  const names = signed.graph.initializers.map(({ name }) => name);
  assert.deepEqual(names.sort(), ['row', 'scale', 'table.signed', 'x_zero', 'zero.signed']);
});

test('a model without integer products is unchanged', () => {
  const model = makeModel({
    nodes: [makeNode('Identity', ['weights'], ['copy'])],
    initializers: [uint8Tensor('weights', [2], Uint8Array.of(1, 2))],
    inputs: [],
    outputs: [{ name: 'copy', elementType: ELEMENT.uint8 }],
  });
  assert.deepEqual(signWeights(model), model);
});

test('the test of the processor has one result per process', async () => {
  const isExact = await areSignedProductsExact();
  assert.equal(typeof isExact, 'boolean');
  assert.equal(areSignedProductsExact(), areSignedProductsExact());
});
