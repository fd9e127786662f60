import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { BodyBudget, readMessage } from './read-message.ts';

const requestOf = (...parts: readonly string[]) =>
  // `readMessage` only iterates over the body.
  Readable.from(parts.map((part) => Buffer.from(part))) as IncomingMessage;
const options = { maxBytes: 1000, onBytes: () => true };

test('a body is limited in bytes, values and messages', async () => {
  assert.deepEqual(await readMessage(requestOf('{"a"', ':[1]}'), options), {
    kind: 'message',
    message: { a: [1] },
  });
  const statusOf = async (body: string, maxBytes = 10_000_000) => {
    const read = await readMessage(requestOf(body), { ...options, maxBytes });
    return read.kind === 'refused' ? read.status : undefined;
  };
  assert.equal(await statusOf('{', 100), 400);
  assert.equal(await statusOf(`"${'a'.repeat(100)}"`, 100), 413);
  assert.equal(await statusOf(`[${'{},'.repeat(200_000)}{}]`), 413);
  assert.equal(await statusOf('[{},{},{},{},{}]'), 413);
  assert.equal(await statusOf(`"${'a'.repeat(5_000_000)}"`), undefined);
});

test('too many values are refused before the rest of the body is read', async () => {
  let parts = 0;
  const onBytes = () => ++parts > 0;
  const read = await readMessage(requestOf(...Array.from({ length: 20 }, () => '[],'.repeat(50_000))), {
    maxBytes: 10_000_000,
    onBytes,
  });
  assert.equal(read.kind === 'refused' && read.status, 413);
  assert.ok(parts < 5, `${parts}`);
});

test('a body that does not arrive is refused after a time; one that arrives steadily is not', async () => {
  const silent = new Readable({ read() {} }) as IncomingMessage;
  silent.push(Buffer.from('{'));
  const refused = await readMessage(silent, { ...options, graceMs: 50 });
  assert.equal(refused.kind === 'refused' && refused.status, 408);
  const parts = async function* () {
    for (let part = 0; part < 5; part++) {
      yield Buffer.from(' '.repeat(160_000));
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    yield Buffer.from('1');
  };
  const steady = Readable.from(parts()) as IncomingMessage;
  const read = await readMessage(steady, { maxBytes: 1_000_000, onBytes: () => true, graceMs: 500 });
  assert.deepEqual(read, { kind: 'message', message: 1 });
});

test('the bodies of all requests are limited together', async () => {
  const budget = new BodyBudget(10);
  const onBytes = (bytes: number) => budget.tryAdd(bytes);
  assert.equal((await readMessage(requestOf('"123456"'), { maxBytes: 100, onBytes })).kind, 'message');
  const second = await readMessage(requestOf('"1"'), { maxBytes: 100, onBytes });
  assert.equal(second.kind === 'refused' && second.status, 503);
  budget.release(8);
  assert.equal((await readMessage(requestOf('"1"'), { maxBytes: 100, onBytes })).kind, 'message');
});
