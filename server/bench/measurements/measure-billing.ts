import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench-context.ts';
import type { BillingCall, BillingResult } from '../processes/billing-main.ts';
import { RpcProcess } from '../processes/rpc-process.ts';
import { atMost, type PartReport } from '../report.ts';
import { median } from '../statistics.ts';

const ENTRY = fileURLToPath(new URL('../processes/billing-main.js', import.meta.url));
const CPU_MS_MAX = 2;
const WARM_UP_REQUESTS = 300;
const CONCURRENCY = 4;
/** Time for the settlement of the last request. */
const SETTLE_MS = 200;

/** CPU time of holds, settlements and metering per request: the same short requests with billing on and off. */
export async function measureBilling({ children, effort }: BenchContext): Promise<PartReport> {
  const modes = ['off', 'prepaid'] as const;
  const costs: Record<(typeof modes)[number], number[]> = { off: [], prepaid: [] };
  const servers = await Promise.all(
    modes.map(async (billing) => {
      const process = new RpcProcess<BillingCall, BillingResult>(ENTRY, children);
      return { billing, process, address: await process.call({ type: 'start', billing }) };
    }),
  );
  try {
    for (const { address } of servers) await speak(address, WARM_UP_REQUESTS);
    // Alternating, so that changes of the machine's speed affect both.
    for (let round = 0; round < effort.billingRounds; round += 1) {
      for (const { billing, process, address } of servers) {
        const before = await process.call({ type: 'cpu' });
        await speak(address, effort.billingRequests);
        await sleep(SETTLE_MS);
        const after = await process.call({ type: 'cpu' });
        costs[billing].push((after.cpuMs - before.cpuMs) / effort.billingRequests);
      }
    }
  } finally {
    await Promise.all(servers.map(({ process }) => process.stop()));
  }
  const off = median(costs.off);
  const prepaid = median(costs.prepaid);
  const show = (cpuMs: number) => `${cpuMs.toFixed(2)} ms CPU`;
  return {
    rows: [
      { what: 'a short request without engine, billing off', value: show(off) },
      { what: 'a short request without engine, billing on', value: show(prepaid) },
      {
        what: 'billing, per request',
        value: show(prepaid - off),
        target: atMost(prepaid - off, CPU_MS_MAX, ' ms'),
      },
    ],
    data: costs,
  };
}

async function speak({ url, key }: BillingResult, requests: number): Promise<void> {
  let left = requests;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(`${url}/v1/tts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'Hello.', format: 'pcm', sample_rate: 8000 }),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
}
