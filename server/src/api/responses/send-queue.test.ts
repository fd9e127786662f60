import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseSendQueue, sendQueueBytes } from './send-queue.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
  12: 0100007F:1F90 0100007F:D2F4 01 0038D000:00000000 04:00000010 00000000     0        0 2 2 0 20 4 0 10 -1
  13: 0100007F:D2F4 0100007F:1F90 01 00000000:0001AC00 00:00000000 00000000     0        0 3 1 0 20 4 0 10 -1
`;

test('the send queue of a connection is found by its ports', () => {
  assert.equal(parseSendQueue(TABLE, 8080, 54_004), 0x38d000);
  assert.equal(parseSendQueue(TABLE, 54_004, 8080), 0);
  assert.equal(parseSendQueue(TABLE, 8080, 1), undefined);
});

test('the queue of a peer that does not read shrinks when it reads', async (context) => {
  if (!existsSync('/proc/net/tcp')) return context.skip('Only Linux has the table.');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const reader = connect(port, '127.0.0.1');
  const [writer] = (await once(server, 'connection')) as [Socket];
  try {
    reader.pause();
    writer.write(Buffer.alloc(64 * 1024 * 1024));
    const queued = async () => (await sendQueueBytes(writer)) ?? 0;
    while ((await queued()) === 0) await sleep(10);
    reader.resume();
    while ((await queued()) > 0 || writer.writableLength > 0) await sleep(10);
  } finally {
    reader.destroy();
    writer.destroy();
    server.close();
  }
});
