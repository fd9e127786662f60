import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, ServerError } from '../errors.ts';
import { readEvents, type ServerEvent } from './server-sent-events.ts';

async function read(text: string, chunkBytes = 1000): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const events: ServerEvent[] = [];
  for await (const event of readEvents(chunks())) events.push(event);
  return events;
}

test('events do not depend on the chunks of the stream', async () => {
  const text = 'event: progress\ndata: {"a":"ü"}\n\n: a comment\n\ndata: one\ndata: two\n\n';
  for (const chunkBytes of [1, 2, 5, 1000]) {
    assert.deepEqual(await read(text, chunkBytes), [
      { event: 'progress', data: '{"a":"ü"}' },
      { event: 'message', data: 'one\ntwo' },
    ]);
  }
});

test('an error event is thrown with its class and code', async () => {
  const text = 'event: error\ndata: {"status":503,"message":"No more.","code":"engine_failed"}\n\n';
  await assert.rejects(read(text), (error) => {
    assert.ok(error instanceof ServerError);
    assert.deepEqual([error.message, error.code], ['No more.', 'engine_failed']);
    return true;
  });
});

test('a stream that ends inside an event is a ConnectionError', async () => {
  await assert.rejects(read('data: one\n\ndata: tw'), ConnectionError);
});
