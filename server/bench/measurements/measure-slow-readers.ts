import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthReport } from '../../src/api/schemas/server/health.ts';
import type { BenchContext } from '../bench-context.ts';
import { type Address, timeToFirstAudioMs } from '../clients/http-client.ts';
import { SlowReaders } from '../clients/slow-readers.ts';
import { ServerProcess } from '../processes/server-process.ts';
import { atMost, ms, type PartReport, times } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { longTextFor, TEXTS } from '../texts.ts';

const READERS = 200;
/** Minutes of speech, so that no stream ends during the measurement. */
const TEXT = [0, 1, 2, 3].map(longTextFor).join(' ');
const RATIO_MAX = 2;
/** Time for the readers to begin. */
const BEGIN_MAX_MS = 300_000;
const PAUSE_MS = 250;
const WARM_UP_RUNS = 6;
const IDLE_MAX_MS = 60_000;
const IDLE_CHECKS = 4;

/**
 * First audio of one account beside 200 clients of another that read far below real time, relative to an idle server in
 * the same run: while the slow streams begin, and when they are open. Runs on a server of its own, which does not
 * disconnect the slow clients before the end of the measurement.
 */
export async function measureSlowReaders({ effort, children }: BenchContext): Promise<PartReport> {
  const settings = { MYNAH_STREAM_STALL_SECONDS: '3600', MYNAH_SLOW_READER_SECONDS: '0' };
  const server = await ServerProcess.start({ ...process.env, ...settings }, children);
  try {
    return await measureBeside(server, 2 * effort.firstAudioRuns);
  } finally {
    await server.stop();
  }
}

async function measureBeside(server: Address, runs: number): Promise<PartReport> {
  // The first requests of a worker are slower.
  await measureFirstAudio(server, WARM_UP_RUNS);
  const idleMs = await measureFirstAudio(server, runs);
  const account = await createAccount(server);
  const readers = new SlowReaders(account, { count: READERS, text: TEXT });
  try {
    const beginningMs = await whileReadersBegin(server, readers);
    await untilIdle(server);
    const besideMs = await measureFirstAudio(server, runs);
    const openCount = readers.openCount;
    const idleMedianMs = median(idleMs);
    const ratios = [median(beginningMs), median(besideMs)].map((value) => value / idleMedianMs);
    const describe = (values: readonly number[]) => `${ms(median(values))} / ${ms(quantile(values, 0.95))}`;
    return {
      rows: [
        { what: 'first audio, idle server, median / 95 %', value: describe(idleMs) },
        {
          what: `first audio while ${READERS} slow streams of another account begin`,
          value: describe(beginningMs),
        },
        {
          what: '… relative to an idle server',
          value: times(ratios[0]!),
          target: atMost(ratios[0]!, RATIO_MAX),
        },
        { what: `first audio beside ${openCount} open slow streams`, value: describe(besideMs) },
        {
          what: '… relative to an idle server',
          value: times(ratios[1]!),
          target: atMost(ratios[1]!, RATIO_MAX),
        },
      ],
      data: { idleMs, beginningMs, besideMs, openCount, ratios },
    };
  } finally {
    await readers.stop();
  }
}

/** Measures until nearly all streams are open, and at least one value. */
async function whileReadersBegin(server: Address, readers: SlowReaders): Promise<number[]> {
  const values: number[] = [];
  const endMs = Date.now() + BEGIN_MAX_MS;
  do {
    values.push(...(await measureFirstAudio(server, 1)));
  } while (readers.openCount < READERS && Date.now() < endMs);
  return values;
}

/** Waits until all slow streams wait for their readers. */
async function untilIdle({ url }: Address): Promise<void> {
  const endMs = Date.now() + IDLE_MAX_MS;
  for (let idleChecks = 0; idleChecks < IDLE_CHECKS && Date.now() < endMs; await sleep(PAUSE_MS)) {
    const { workers } = (await (await fetch(`${url}/v1/health`)).json()) as HealthReport;
    idleChecks = workers.every(({ active = 0 }) => active === 0) ? idleChecks + 1 : 0;
  }
}

async function measureFirstAudio(server: Address, runs: number): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run < runs; run++) {
    values.push(await timeToFirstAudioMs(server, TEXTS[60]));
    await sleep(PAUSE_MS);
  }
  return values;
}

/** Creates another account with a key. */
async function createAccount({ url, apiKey }: Address): Promise<Address> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path} responded with ${response.status}.`);
    return (await response.json()) as Record<string, string>;
  };
  const { id } = await post('/v1/admin/accounts', { name: 'slow readers' });
  const { key } = await post('/v1/admin/keys', { account_id: id, name: 'slow readers', scopes: ['tts'] });
  if (key === undefined) throw new Error('The server created no key.');
  return { url, apiKey: key };
}
