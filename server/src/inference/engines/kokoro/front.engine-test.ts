import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openSpeechHost } from '../../../../test/support/workers/engine-context.ts';
import { flattenDepthwiseConvolutions } from '../onnx/depthwise-convolutions.ts';
import { floatOutput } from '../onnx/float-output.ts';
import { readModel, writeModel } from '../onnx/model.ts';
import { Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { loadFront } from './front.ts';
import { alignTextRows } from './networks/features.ts';

// The server runs the front as two networks, without the repetition of text features. The reference is the complete file.

const context = openSpeechHost().context();
const TOKENS = Array.from({ length: 48 }, (_, index) => 40 + ((index * 37) % 110));

test('the two networks of the front give the features of its file, also for a style that was used before', async () => {
  const front = await loadFront(context);
  const file = readModel(await readFile(context.asset('front/front-int8.onnx')));
  const session = await openSession(writeModel(flattenDepthwiseConvolutions(file)), { threads: 1 });
  for (const turn of [1, 2, 1]) {
    const style = Float32Array.from({ length: 256 }, (_, index) => 0.3 * Math.sin(turn * index));
    const got = await front.run(TOKENS, style, 1.1);
    const expected = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from([0, ...TOKENS, 0], BigInt), [1, TOKENS.length + 2]),
      style: new Tensor('float32', style, [1, 256]),
      speed: new Tensor('float32', Float32Array.of(1.1), [1]),
    });
    assert.deepEqual(got.tokenFrames, Int32Array.from(floatOutput(expected, 'durations')));
    assert.deepEqual(alignTextRows(got), floatOutput(expected, 'asr'));
    assert.deepEqual(got.f0, floatOutput(expected, 'pitch'));
    assert.deepEqual(got.energy, floatOutput(expected, 'energy'));
  }
  await Promise.all([front.close(), session.release()]);
});
