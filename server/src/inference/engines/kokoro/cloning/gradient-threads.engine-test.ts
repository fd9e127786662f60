import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GradientThreads } from './gradient-threads.ts';

const open = () =>
  new GradientThreads({
    model: '/nonexistent/model.onnx',
    threads: 1,
    constants: {},
    ecapaWeights: [],
  });
const WITHOUT_ECAPA = { ecapaFile: undefined };

test('a model that cannot be opened is an error of each gradient', async () => {
  const gradients = open();
  gradients.prepare();
  await assert.rejects(gradients.compute([{}], WITHOUT_ECAPA), /model\.onnx/);
  await assert.rejects(gradients.compute([{}, {}], WITHOUT_ECAPA), /model\.onnx/);
  await gradients.close();
});

test('gradients after the end of the threads open new ones', async () => {
  const gradients = open();
  await assert.rejects(gradients.compute([{}], WITHOUT_ECAPA), /model\.onnx/);
  await gradients.close();
  await assert.rejects(gradients.compute([{}], WITHOUT_ECAPA), /model\.onnx/);
  await gradients.close();
});
