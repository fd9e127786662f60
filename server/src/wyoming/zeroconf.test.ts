import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import createMulticastDns, { type ResponsePacket } from 'multicast-dns';
import { until } from '../../test/support/servers/real-server.ts';
import { createLogger } from '../logger.ts';
import { announceWyoming } from './zeroconf.ts';

const logger = createLogger({ logLevel: 'silent', logFormat: 'json' });
const LOOPBACK = '127.0.0.1';

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

/** Whether multicast works on the loopback interface. The tests of the records do not need it. */
async function hasMulticast(): Promise<boolean> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true }).bind(0, '0.0.0.0');
  await once(socket, 'listening');
  try {
    socket.addMembership('224.0.0.251', LOOPBACK);
    socket.setMulticastInterface(LOOPBACK);
    const received = once(socket, 'message', { signal: AbortSignal.timeout(5000) });
    socket.send('x', socket.address().port, '224.0.0.251');
    await received;
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

const options = { skip: !(await hasMulticast()) && 'no multicast on the loopback interface' };

/** A second machine that queries, and keeps what it receives. */
async function openObserver(t: TestContext) {
  const network = { port: await freeUdpPort(), interface: LOOPBACK };
  const mdns = createMulticastDns({ ...network, bind: '0.0.0.0' });
  t.after(() => mdns.destroy());
  const records: { name: string; type: string; ttl?: number; data?: unknown }[] = [];
  mdns.on('response', ({ answers, additionals }: ResponsePacket) => {
    records.push(...([...(answers ?? []), ...(additionals ?? [])] as typeof records));
  });
  await once(mdns, 'ready');
  const announce = async (name: string, port: number) => {
    const zeroconf = await announceWyoming({ name, host: LOOPBACK, port, logger, network });
    t.after(() => zeroconf.close());
    return zeroconf;
  };
  return { mdns, records, announce };
}

test('a client finds the server by a multicast query, until it is closed', options, async (t) => {
  const { mdns, records, announce } = await openObserver(t);
  const zeroconf = await announce('Hall', 10_300);
  assert.equal(await zeroconf.announced, 'Hall');
  records.length = 0;
  await until('the query is answered', async () => {
    mdns.query('_wyoming._tcp.local', 'PTR');
    return records.some(({ type, data }) => type === 'PTR' && data === 'Hall._wyoming._tcp.local');
  });
  const service = records.find(({ type }) => type === 'SRV') as { data: { port: number; target: string } };
  assert.equal(service.data.port, 10_300);
  const address = records.find(({ name }) => name === service.data.target);
  assert.deepEqual([address?.type, address?.data], ['A', LOOPBACK]);
  await zeroconf.close();
  await until('the goodbye arrives', () =>
    records.some(({ name, ttl }) => name === '_wyoming._tcp.local' && ttl === 0),
  );
});

test('the name of another service gets a number', options, async (t) => {
  const { announce } = await openObserver(t);
  assert.equal(await (await announce('Hall', 10_300)).announced, 'Hall');
  assert.equal(await (await announce('Hall', 10_301)).announced, 'Hall (2)');
});

test('a server that is closed before its announcement announces nothing', options, async (t) => {
  const { records, announce } = await openObserver(t);
  const zeroconf = await announce('Hall', 10_300);
  await zeroconf.close();
  assert.equal(await zeroconf.announced, undefined);
  assert.deepEqual(records, []);
});
