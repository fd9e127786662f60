import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GradientThreads } from './gradient-threads.ts';

test('a model that cannot be opened is an error of each gradient', async () => {
  const gradients = new GradientThreads({ model: '/nonexistent/model.onnx', threads: 1, constants: {} });
  gradients.prepare();
  await assert.rejects(gradients.compute([{}]), /model\.onnx/);
  await assert.rejects(gradients.compute([{}, {}]), /model\.onnx/);
  await gradients.close();
});

test('gradients after the end of the threads open new ones', async () => {
  const gradients = new GradientThreads({ model: '/nonexistent/model.onnx', threads: 1, constants: {} });
  await assert.rejects(gradients.compute([{}]), /model\.onnx/);
  await gradients.close();
  await assert.rejects(gradients.compute([{}]), /model\.onnx/);
  await gradients.close();
});
