import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floats, makeModel } from '../../../../test/support/engines/tiny-model.ts';
import { type OnnxModel, writeModel } from '../onnx/model.ts';
import { makeNode } from '../onnx/node.ts';
import { InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { floatTensor, int64Tensor } from '../onnx/tensor.ts';
import { attentionNode, readRotation, rotationNode, withContribOperators } from './attention.ts';

const HEADS = 2;
const WIDTH = 6;
const TOKENS = 3;
const POSITION = 4;
const frequencies = Float32Array.of(1, 0.1);

function valuesFrom(seed: number): Float32Array {
  return Float32Array.from({ length: TOKENS * HEADS * WIDTH }, (_, index) => Math.sin(seed + index * 1.3));
}

async function run(model: OnnxModel, feeds: Record<string, Tensor>): Promise<Float32Array> {
  const session = await InferenceSession.create(writeModel(withContribOperators(model)), {
    intraOpNumThreads: 1,
  });
  const { y } = await session.run(feeds);
  await session.release();
  return y!.data as Float32Array;
}

function assertClose(actual: Float32Array, expected: Float32Array): void {
  assert.equal(actual.length, expected.length);
  for (const [index, value] of expected.entries()) assert.ok(Math.abs(actual[index]! - value) < 1e-5);
}

const tokens = (values: Float32Array) => new Tensor('float32', values, [1, TOKENS, HEADS * WIDTH]);

test('neighbouring values of each head are rotated by the position, the rest is kept', async () => {
  const product = makeNode('MatMul', ['frequencies', 'x'], ['angles']);
  const graph = {
    name: '',
    nodes: [{ ...product, name: '/rotary_emb/MatMul' }],
    initializers: [floatTensor('frequencies', [1, 2, 1], frequencies)],
    inputs: [],
    outputs: [],
  };
  const { tables, rotatedWidth } = readRotation(graph, 16)!;
  const model = makeModel({
    nodes: [rotationNode('x', 'y', { position: 'position', heads: HEADS, rotatedWidth })],
    initializers: [...tables, int64Tensor('position', [1], [POSITION])],
    inputs: [floats('x', 1, 'tokens', HEADS * WIDTH)],
    outputs: [floats('y', 1, 'tokens', HEADS * WIDTH)],
  });
  const values = valuesFrom(1);
  const expected = values.slice();
  for (let token = 0; token < TOKENS; token++) {
    for (let head = 0; head < HEADS; head++) {
      for (const [pair, frequency] of frequencies.entries()) {
        const at = (token * HEADS + head) * WIDTH + 2 * pair;
        const [cos, sin] = [Math.cos, Math.sin].map((f) => f((POSITION + token) * frequency));
        expected[at] = values[at]! * cos! - values[at + 1]! * sin!;
        expected[at + 1] = values[at + 1]! * cos! + values[at]! * sin!;
      }
    }
  }
  assertClose(await run(model, { x: tokens(values) }), expected);
  assert.equal(readRotation({ ...graph, nodes: [] }, 16), undefined);
});

test('an attention weights the values of the tokens that its mask permits', async () => {
  const names = ['query', 'key', 'value'];
  const model = makeModel({
    nodes: [attentionNode({ query: 'query', key: 'key', value: 'value', result: 'y' }, HEADS, 'mask')],
    initializers: [],
    inputs: [
      ...names.map((name) => floats(name, 1, TOKENS, HEADS * WIDTH)),
      floats('mask', 1, 1, TOKENS, TOKENS),
    ],
    outputs: [floats('y', 1, TOKENS, HEADS * WIDTH)],
  });
  const [query, key, value] = names.map((_, index) => valuesFrom(index)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const mask = Float32Array.from({ length: TOKENS * TOKENS }, (_, index) =>
    index % TOKENS > Math.floor(index / TOKENS) ? Number.NEGATIVE_INFINITY : 0,
  );
  const expected = new Float32Array(TOKENS * HEADS * WIDTH);
  const at = (token: number, head: number) => (token * HEADS + head) * WIDTH;
  for (let token = 0; token < TOKENS; token++) {
    for (let head = 0; head < HEADS; head++) {
      const weights = Array.from({ length: token + 1 }, (_, other) => {
        let score = 0;
        for (let index = 0; index < WIDTH; index++) {
          score += query[at(token, head) + index]! * key[at(other, head) + index]!;
        }
        return Math.exp(score / Math.sqrt(WIDTH));
      });
      const sum = weights.reduce((total, weight) => total + weight, 0);
      for (let index = 0; index < WIDTH; index++) {
        for (const [other, weight] of weights.entries()) {
          expected[at(token, head) + index]! += (weight / sum) * value[at(other, head) + index]!;
        }
      }
    }
  }
  const feeds = {
    query: tokens(query),
    key: tokens(key),
    value: tokens(value),
    mask: new Tensor('float32', mask, [1, 1, TOKENS, TOKENS]),
  };
  assertClose(await run(model, feeds), expected);
});
