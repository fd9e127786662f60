import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { supportedV8Flags, WORKER_V8_FLAGS } from '../../../concurrency/v8-flags.ts';

test('with the flags of a worker, discarded outputs take no memory', async () => {
  const source = `
    const { discardOutputs } = await import(${JSON.stringify(new URL('./discard-outputs.js', import.meta.url).href)});
    const { Tensor } = await import(${JSON.stringify(import.meta.resolve('onnxruntime-common'))});
    const before = process.memoryUsage().arrayBuffers;
    const outputs = { wide: new Tensor('float32', new Float32Array(2 ** 20), [2 ** 20]), text: new Tensor('string', ['a'], [1]) };
    discardOutputs(outputs);
    console.log(process.memoryUsage().arrayBuffers - before, outputs.wide.data.length);`;
  const flags = await supportedV8Flags(WORKER_V8_FLAGS);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  assert.equal(stdout.trim(), '0 0', stderr);
});
