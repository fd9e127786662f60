import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { until } from '../../test/support/servers/real-server.ts';
import { VOICE } from '../clients/http-client.ts';
import { mediumTextFor } from '../texts.ts';
import { playedWithBuffer, receiveStream } from './cluster-stream.ts';
import { untilNothingIsLeft } from './leftovers.ts';
import { SCRIPTED_ENGINE, startMeasuredCluster } from './scripted-engine.ts';
import { resultsFile, writeResults } from './write-results.ts';

const BUFFER_SECONDS = 1;
const THINK_MS = 300;
/** Time between the removal of a gateway from the load balancer and its stop. */
const REMOVAL_MS = 2000;
const SETTLE_TIMEOUT_MS = 60_000;

export const UPGRADE_HELP = `npm run measure-cluster -- upgrade [--listeners N] [--rounds N] [--json FILE]

Rolling upgrade under load: every worker and every gateway is drained with SIGTERM and replaced, one by one.
`;

/** Replaces every process under load. Returns 1 after a failed request or an underrun. */
export async function measureUpgrade(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      listeners: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'string' },
    },
  });
  const cluster = await startMeasuredCluster({ gateways: 2, workers: 3, engine: SCRIPTED_ENGINE });
  if (cluster === undefined) return 2;
  try {
    const file = resultsFile('upgrade', values.json);
    const load = new UpgradeLoad(cluster);
    const listeners = Array.from({ length: Number(values.listeners) }, (_, index) => load.listen(index));
    await until('all listeners have audio', () => load.finished >= listeners.length);
    let replaced = 0;
    const report = async (name: string) => {
      replaced += 1;
      const result = { replaced, ...load.result() };
      console.log(`${name} replaced ${JSON.stringify(result)}`);
      await writeResults(file, result);
    };
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const worker of cluster.workers) {
        await worker.end('SIGTERM');
        await worker.start();
        await report(worker.name);
      }
      for (const [index, gateway] of cluster.gateways.entries()) {
        // The gateway is first taken out of the load balancer, and stopped when no request is on its way to it.
        load.avoid(index);
        await sleep(REMOVAL_MS);
        await gateway.end('SIGTERM');
        await gateway.start();
        load.avoid(undefined);
        await report(gateway.name);
      }
    }
    load.stop();
    await Promise.all(listeners);
    const leftovers = await untilNothingIsLeft(cluster, SETTLE_TIMEOUT_MS);
    const bookProblems = (await cluster.ledger.verify()).problems.length;
    const result = { replaced, ...load.result(), bookProblems, leftovers };
    console.log(JSON.stringify(result));
    await writeResults(file, result);
    const isUnnoticed = result.failures.length === 0 && result.streamsWithUnderrun === 0;
    return isUnnoticed && bookProblems === 0 && leftovers.length === 0 ? 0 : 1;
  } finally {
    await cluster.close();
  }
}

/** Listeners that request one text after the other. */
class UpgradeLoad {
  readonly #cluster: ProcessCluster;
  readonly #failures: string[] = [];
  #avoided: number | undefined;
  #isStopped = false;
  #underruns = 0;
  finished = 0;

  constructor(cluster: ProcessCluster) {
    this.#cluster = cluster;
  }

  /** New requests go to the other gateways. */
  avoid(gateway: number | undefined): void {
    this.#avoided = gateway;
  }

  stop(): void {
    this.#isStopped = true;
  }

  result() {
    return { finished: this.finished, streamsWithUnderrun: this.#underruns, failures: this.#failures };
  }

  async listen(listener: number): Promise<void> {
    const { gateways, key } = this.#cluster;
    for (let request = listener; !this.#isStopped; request++) {
      const candidates = gateways.filter((_, index) => index !== this.#avoided);
      const { url } = candidates[request % candidates.length]!;
      const { end, arrivals } = await receiveStream({ url, key, text: mediumTextFor(request), voice: VOICE });
      if (end.kind === 'finished') this.finished += 1;
      else this.#failures.push(JSON.stringify(end));
      if (playedWithBuffer(arrivals, BUFFER_SECONDS).underruns > 0) this.#underruns += 1;
      await sleep(THINK_MS);
    }
  }
}
