import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { FrameWriter, StalledReaderError } from './frame-writer.ts';
import { registerConnection, unreadOutputBytes } from './unread-output.ts';

const STALL_MS = 60_000;

for (const { what, bytesPerSecond } of [
  { what: 'reads steadily, far below real time, gets every frame', bytesPerSecond: 4000 },
  { what: 'stops reading is reported after the stall timeout', bytesPerSecond: 0 },
]) {
  test(`a client that ${what}`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: (() => void)[] = [];
    const socket = {
      bufferedAmount: 2 ** 20,
      send: (_message: Buffer, _options: object, onSent: () => void) => sent.push(onSent),
    };
    const protocol = { encode: () => [Buffer.alloc(1)] };
    // The writer uses only these members.
    const writer = new FrameWriter(socket as unknown as WebSocket, { stallMs: STALL_MS, protocol });
    let outcome: unknown = 'waiting';
    writer.send({} as never).then(
      () => {
        outcome = 'sent';
      },
      (error: unknown) => {
        outcome = error;
      },
    );
    for (let second = 0; second < 240; second++) {
      socket.bufferedAmount -= bytesPerSecond;
      context.mock.timers.tick(1000);
      await nextTick();
    }
    if (bytesPerSecond === 0) return assert.ok(outcome instanceof StalledReaderError);
    assert.equal(outcome, 'waiting');
    for (const onSent of sent) onSent();
    await nextTick();
    assert.equal(outcome, 'sent');
  });
}

test('output in the send buffer of the system counts as unread', async (context) => {
  if (!existsSync('/proc/net/tcp')) return context.skip('Only Linux has the table.');
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const [socket, request] = await connected;
    await once(client, 'open');
    client.pause();
    registerConnection(socket, request.socket);
    socket.send(Buffer.alloc(2 ** 26));
    while ((await unreadOutputBytes(socket)) <= socket.bufferedAmount) await sleep(10);
    client.resume();
    while ((await unreadOutputBytes(socket)) > 0) await sleep(10);
  } finally {
    client.terminate();
    server.close();
  }
});
