import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Capacity } from '../../../domain/speech/capacity/capacity.ts';
import type { BusMessage, MessageBus } from '../transport/message-bus.ts';
import { SharedSpeechLoad } from './shared-speech-load.ts';

let abort = new AbortController();
afterEach(() => {
  // Ends the waits of streams that were not admitted.
  abort.abort();
  abort = new AbortController();
});

/** A bus that delivers at once, to every subscriber. */
function createBus(): MessageBus & { readonly sent: string[] } {
  const listeners: ((message: BusMessage) => void)[] = [];
  const sent: string[] = [];
  return {
    sent,
    publish(subject, payload) {
      sent.push(new TextDecoder().decode(payload));
      for (const listener of listeners) listener({ subject, payload, isNoResponder: false });
    },
    subscribe: (_subject, listener) => void listeners.push(listener),
    onConnection: () => {},
    flush: async () => {},
    close: async () => {},
  };
}

/** Gateways on one bus, with workers for eight streams together. */
function openGateways(count: number, now?: () => number) {
  const bus = createBus();
  const gateways = Array.from({ length: count }, (_, index) => {
    const sharing = new SharedSpeechLoad(bus, { id: `gateway-${index}`, ...(now && { now }) });
    const capacity = new Capacity({ workers: 2, utilisationMax: 0.85, waitMs: 60_000, sharing });
    capacity.recordCost('slow', { audioSeconds: 1000, workSeconds: 200 });
    return { sharing, capacity, report: () => sharing.report(capacity.loads(), capacity.reserved) };
  });
  return { bus, gateways };
}

function admit({ capacity }: { readonly capacity: Capacity }, accountId: string) {
  const state = { isAdmitted: false };
  const load = capacity.admit({ engine: 'slow', accountId }, abort.signal).then((admitted) => {
    state.isAdmitted = true;
    return admitted;
  });
  load.catch(() => {});
  return { state, load };
}

/** Lets everything that is ready proceed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('gateways admit together what the workers can synthesize', async () => {
  const { gateways } = openGateways(2);
  const [one, two] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
  const first = Array.from({ length: 6 }, () => admit(one, 'a'));
  one.report();
  const second = Array.from({ length: 6 }, () => admit(two, 'a'));
  await second[1]!.load;
  await settle();
  assert.equal(first.filter(({ state }) => state.isAdmitted).length, 6);
  assert.equal(second.filter(({ state }) => state.isAdmitted).length, 2);
  // A stream of the first gateway ends: the second one has its place after the next report.
  (await first[0]!.load).release();
  one.report();
  await second[2]!.load;
  assert.equal(second.filter(({ state }) => state.isAdmitted).length, 3);
});

test('an account with streams at another gateway waits for an account without any', async () => {
  const { gateways } = openGateways(2);
  const [one, two] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
  const heavy = Array.from({ length: 8 }, () => admit(one, 'heavy'));
  await settle();
  one.report();
  const more = admit(two, 'heavy');
  const light = admit(two, 'light');
  await light.load;
  assert.equal(more.state.isAdmitted, false);
  for (const { load } of heavy) (await load).release();
  one.report();
  await more.load;
});

test('the load of a gateway that has died expires, and no message names an account', async () => {
  let nowMs = 0;
  const { gateways, bus } = openGateways(2, () => nowMs);
  const [one, two] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
  await admit(one, 'account-7').load;
  one.report();
  assert.equal([...two.sharing.otherLoads().values()].length, 1);
  nowMs += 2000;
  assert.equal(two.sharing.otherLoads().size, 0);
  assert.ok(bus.sent.every((text) => !text.includes('account-7')));
});

test('gateways whose requests arrive at the same time do not admit more than the workers can synthesize', async () => {
  const { gateways } = openGateways(2);
  const [one, two] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
  for (const { report } of gateways) report();
  const streams = Array.from({ length: 20 }, (_, index) => admit(index % 2 === 0 ? one : two, 'a'));
  const admitted = () => streams.filter(({ state }) => state.isAdmitted).length;
  while (admitted() < 8) {
    for (const { report } of gateways) report();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(admitted() <= 8, `${admitted()} streams`);
  }
  // Nothing is left to reserve.
  for (let round = 0; round < 3; round += 1) {
    for (const { report } of gateways) report();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  assert.equal(admitted(), 8);
});

test('an idle gateway reports rarely, so that others know that it exists', async () => {
  let nowMs = 0;
  const { gateways, bus } = openGateways(2, () => nowMs);
  const { report, capacity, sharing } = gateways[0]!;
  report();
  assert.equal(gateways[1]!.sharing.otherCount, 1);
  assert.equal(sharing.otherCount, 0);
  const load = await capacity.admit({ engine: 'slow', accountId: 'a' }, abort.signal);
  report();
  load.release();
  report();
  report();
  assert.equal(bus.sent.length, 3);
  nowMs += 1000;
  report();
  report();
  assert.equal(bus.sent.length, 4);
  nowMs += 6000;
  assert.equal(gateways[1]!.sharing.otherCount, 0);
});

test('invalid reports are ignored', () => {
  const { gateways, bus } = openGateways(2);
  bus.publish('mynah.load.gateway-0', new Uint8Array([0xc1]));
  bus.publish('mynah.load.gateway-0', new TextEncoder().encode('{}'));
  assert.equal(gateways[1]!.sharing.otherLoads().size, 0);
});
