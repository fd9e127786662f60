import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { ReplayMemory } from './replay-memory.ts';

/** A response as far as `ReplayMemory` uses it. */
function createResponse(): ServerResponse {
  return Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;
}

test('the stored responses of an account that are being sent are limited together', () => {
  const memory = new ReplayMemory({ accountMaxBytes: 100 });
  const first = createResponse();
  memory.hold('a', 60, first);
  memory.hold('a', 40, createResponse());
  assert.throws(() => memory.hold('a', 1, createResponse()), { code: 'idempotency_limit' });
  memory.hold('b', 100, createResponse());
  first.emit('close');
  memory.hold('a', 60, createResponse());
  assert.throws(() => memory.hold('a', 1, createResponse()), { code: 'idempotency_limit' });
});

test('a single response is sent whatever its size, and a closed one does not count', () => {
  const memory = new ReplayMemory({ accountMaxBytes: 100 });
  memory.hold('a', 90, Object.assign(createResponse(), { closed: true }));
  memory.hold('a', 200, createResponse());
  assert.throws(() => memory.hold('a', 1, createResponse()), { code: 'idempotency_limit' });
});
