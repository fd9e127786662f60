import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { UNHANDLED_REJECTION } from './unhandled-rejections.ts';

test('a promise that is rejected without a handler is logged and does not end the process', () => {
  const script = `
    import { logUnhandledRejections } from ${JSON.stringify(new URL('./unhandled-rejections.js', import.meta.url).href)};
    logUnhandledRejections({ error: ({ err }, message) => console.log(message + ': ' + err.message) });
    Promise.reject(new Error('aborted'));
    setTimeout(() => console.log('still running'), 10);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.equal(stdout, `${UNHANDLED_REJECTION}: aborted\nstill running\n`);
  assert.equal(status, 0);
});
