import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnnouncedService, answerTo, goodbyeOf, recordsOf } from './zeroconf-records.ts';

const SERVICE: AnnouncedService = {
  name: 'Mynah in the hall',
  hostName: 'mynah-1.local',
  port: 10_300,
  addresses: ['192.0.2.5', '2001:db8::5'],
};
const INSTANCE = 'Mynah in the hall._wyoming._tcp.local';
const MULTICAST = { isLegacy: false };

/** Names, types and data of records. */
function summary(records: readonly { name: string; type: string; data?: unknown }[] | undefined) {
  return records?.map(({ name, type, data }) => [name, type, data]);
}

function ask(name: string, type: string, options = MULTICAST, answers: object[] = []) {
  return answerTo(
    { id: 7, questions: [{ name, type } as never], answers: answers as never },
    SERVICE,
    options,
  );
}

test('a query for Wyoming servers is answered with name, port and addresses', () => {
  const answer = ask('_Wyoming._tcp.local', 'PTR');
  assert.deepEqual(summary(answer?.answers), [['_wyoming._tcp.local', 'PTR', INSTANCE]]);
  assert.deepEqual(summary(answer?.additionals), [
    [INSTANCE, 'SRV', { port: 10_300, target: 'mynah-1.local', priority: 0, weight: 0 }],
    [INSTANCE, 'TXT', []],
    ['mynah-1.local', 'A', '192.0.2.5'],
    ['mynah-1.local', 'AAAA', '2001:db8::5'],
  ]);
});

test('the service, the host and the list of service types are answered; other names are not', () => {
  const types = (name: string, type: string) => ask(name, type)?.answers?.map((record) => record.type);
  assert.deepEqual(types(INSTANCE, 'SRV'), ['SRV']);
  assert.deepEqual(types(INSTANCE, 'ANY'), ['SRV', 'TXT']);
  assert.deepEqual(types('mynah-1.local', 'A'), ['A']);
  assert.deepEqual(summary(ask('_services._dns-sd._udp.local', 'PTR')?.answers), [
    ['_services._dns-sd._udp.local', 'PTR', '_wyoming._tcp.local'],
  ]);
  assert.equal(ask('_http._tcp.local', 'PTR'), undefined);
  assert.equal(ask('_wyoming._tcp.local', 'A'), undefined);
});

test('a client that knows the service gets no answer', () => {
  const known = { name: '_wyoming._tcp.local', type: 'PTR', data: INSTANCE };
  assert.equal(ask('_wyoming._tcp.local', 'PTR', MULTICAST, [{ ...known, ttl: 4000 }]), undefined);
  assert.ok(ask('_wyoming._tcp.local', 'PTR', MULTICAST, [{ ...known, ttl: 1000 }]));
});

test('a client without multicast DNS gets its id and question back, and short lifetimes', () => {
  const answer = ask('_wyoming._tcp.local', 'PTR', { isLegacy: true });
  assert.deepEqual([answer?.id, answer?.questions?.length], [7, 1]);
  const records = [...(answer?.answers ?? []), ...(answer?.additionals ?? [])] as {
    ttl: number;
    flush?: boolean;
  }[];
  assert.ok(records.every(({ ttl, flush }) => ttl === 10 && !flush));
});

test('the goodbye ends every record of this service, and only those', () => {
  const goodbye = goodbyeOf(SERVICE) as readonly { name: string; ttl: number }[];
  assert.ok(goodbye.every(({ ttl }) => ttl === 0));
  // Other machines may have services of this type.
  assert.equal(goodbye.length, recordsOf(SERVICE).length - 1);
  assert.ok(!goodbye.some(({ name }) => name.startsWith('_services')));
});
