import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchThreads } from './search-threads.ts';

const open = () =>
  new SearchThreads({
    gradientModel: '/nonexistent/model.onnx',
    statisticsModel: '/nonexistent/statistics.onnx',
    threads: 1,
    constants: {},
    ecapaWeights: [],
  });
const WITHOUT_ECAPA = { ecapaFile: undefined };

test('a model that cannot be opened is an error of each gradient', async () => {
  const threads = open();
  threads.prepare();
  await assert.rejects(threads.gradients([{}], WITHOUT_ECAPA), /model\.onnx/);
  await assert.rejects(threads.gradients([{}, {}], WITHOUT_ECAPA), /model\.onnx/);
  await threads.close();
});

test('gradients after the end of the threads open new ones', async () => {
  const threads = open();
  await assert.rejects(threads.gradients([{}], WITHOUT_ECAPA), /model\.onnx/);
  await threads.close();
  await assert.rejects(threads.gradients([{}], WITHOUT_ECAPA), /model\.onnx/);
  await threads.close();
});

test('a recording that cannot be heard is an error, and a later one is heard by a new thread', async () => {
  const threads = open();
  await assert.rejects(threads.hear([new Float32Array(1)], WITHOUT_ECAPA), /\.onnx/);
  await threads.close();
  await assert.rejects(threads.hear([new Float32Array(1)], WITHOUT_ECAPA), /\.onnx/);
  await threads.close();
});
