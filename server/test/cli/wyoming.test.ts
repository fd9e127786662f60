import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { runMynahInProcess, startMynah } from '../support/servers/command-line.ts';
import { until } from '../support/servers/real-server.ts';

const SERVER = ['--server', 'http://127.0.0.1:1', '--key', 'x'];

const WRONG_USAGE: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an address that only this machine reaches', ['--zeroconf'], /--host/],
  ['a name with a dot', ['--host', '0.0.0.0', '--zeroconf', 'a.b'], /--zeroconf/],
  ['a name that is too long', ['--host', '0.0.0.0', '--zeroconf', 'ä'.repeat(30)], /--zeroconf/],
];
for (const [what, args, mention] of WRONG_USAGE) {
  test(`an announcement with ${what} is refused`, async () => {
    const { status, stderr } = await runMynahInProcess(['wyoming', ...SERVER, ...args], {});
    assert.equal(status, 2);
    assert.match(stderr, mention);
  });
}

test('a server that is announced ends at SIGTERM', async () => {
  const args = ['--host', '0.0.0.0', '--port', '0', '--zeroconf'];
  const child = startMynah(['wyoming', ...args, ...SERVER], {});
  let output = '';
  child.stdout!.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'exit');
  await until('it listens', () => /tcp:\/\/0\.0\.0\.0:\d+/.test(output));
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
