import { parseArgs } from 'node:util';
import { formatTable } from '../../src/cli/table.ts';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { until } from '../../test/support/servers/real-server.ts';
import { VOICE } from '../clients/http-client.ts';
import { mediumTextFor } from '../texts.ts';
import { receiveStream } from './cluster-stream.ts';
import { FAULTS, type Fault } from './faults.ts';
import { type FaultLoad, type FaultResult, runFault } from './run-fault.ts';
import { scriptedEngine, startMeasuredCluster } from './scripted-engine.ts';
import { resultsFile, writeResults } from './write-results.ts';

const GATEWAYS = 2;
const WORKERS = 3;
/** Time of the scripted engine for 0.3 s of audio. */
const WINDOW_MS = '100';

export const FAULTS_HELP = `npm run measure-cluster -- faults [--faults LIST] [--repetitions N] [--streams N] [--engine scripted|real] [--window-ms N] [--json FILE]

Faults during concurrent streams: ${FAULTS.map(({ name }) => name).join(', ')}.
`;

/** Injects each fault several times during concurrent streams. Returns 1 if a listener noticed what must not be noticed. */
export async function measureFaults(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      faults: { type: 'string' },
      repetitions: { type: 'string', default: '20' },
      streams: { type: 'string', default: '20' },
      engine: { type: 'string', default: 'scripted' },
      'window-ms': { type: 'string', default: WINDOW_MS },
      json: { type: 'string' },
    },
  });
  const names = values.faults?.split(',');
  const faults = FAULTS.filter(({ name }) => names === undefined || names.includes(name));
  const cluster = await startMeasuredCluster({
    gateways: GATEWAYS,
    workers: WORKERS,
    engine: values.engine === 'real' ? { kind: 'real' } : scriptedEngine(Number(values['window-ms'])),
  });
  if (cluster === undefined) return 2;
  try {
    const load = await prepareLoad(cluster, Number(values.streams));
    const results: FaultSummary[] = [];
    for (const fault of faults) {
      const summary = await repeatFault(cluster, fault, load, Number(values.repetitions));
      results.push(summary);
      await writeResults(resultsFile('faults', values.json), results);
    }
    process.stdout.write(`\n${formatTable(['fault', ...COLUMNS], results.map(rowOf))}\n`);
    return results.every(isAcceptable) ? 0 : 1;
  } finally {
    await cluster.close();
  }
}

/** The texts, with the audio of a run without faults. */
async function prepareLoad(cluster: ProcessCluster, streams: number): Promise<FaultLoad> {
  const texts = Array.from({ length: streams }, (_, index) => mediumTextFor(index));
  const { url } = cluster.gateways[0]!;
  const audioOf = new Map<string, Buffer>();
  for (const text of new Set(texts)) {
    const { audio, end } = await receiveStream({ url, key: cluster.key, text, voice: VOICE });
    if (end.kind !== 'finished') throw new Error(`No audio: ${JSON.stringify(end)}`);
    audioOf.set(text, audio);
  }
  await until('the audio is charged', async () => (await cluster.ledger.verify()).openHolds === 0);
  return { texts, voice: VOICE, expected: texts.map((text) => audioOf.get(text)!) };
}

interface FaultSummary {
  readonly fault: string;
  readonly isUnnoticed: boolean;
  readonly repetitions: number;
  readonly total: FaultResult;
}

async function repeatFault(
  cluster: ProcessCluster,
  fault: Fault,
  load: FaultLoad,
  repetitions: number,
): Promise<FaultSummary> {
  const results: FaultResult[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const result = await runFault(cluster, fault, load, repetition);
    results.push(result);
    process.stdout.write(`${fault.name} ${repetition + 1}/${repetitions} ${JSON.stringify(result)}\n`);
  }
  const { name, isUnnoticed } = fault;
  return { fault: name, isUnnoticed, repetitions, total: results.reduce(add) };
}

function add(a: FaultResult, b: FaultResult): FaultResult {
  return {
    streams: a.streams + b.streams,
    finished: a.finished + b.finished,
    repeated: a.repeated + b.repeated,
    streamsWithUnderrun: a.streamsWithUnderrun + b.streamsWithUnderrun,
    stalledSeconds: a.stalledSeconds + b.stalledSeconds,
    longestPauseMs: Math.max(a.longestPauseMs, b.longestPauseMs),
    equal: a.equal + b.equal,
    bookProblems: [...a.bookProblems, ...b.bookProblems],
    leftovers: [...a.leftovers, ...b.leftovers],
    failures: [...a.failures, ...b.failures],
  };
}

const COLUMNS = [
  'times',
  'streams',
  'finished',
  'repeated',
  'with underrun',
  'longest pause',
  'samples equal',
  'book problems',
  'leftovers',
];

function rowOf({ fault, repetitions, total }: FaultSummary): string[] {
  return [
    fault,
    `${repetitions}`,
    `${total.streams}`,
    `${total.finished}`,
    `${total.repeated}`,
    `${total.streamsWithUnderrun}`,
    `${(total.longestPauseMs / 1000).toFixed(2)} s`,
    `${total.equal}`,
    `${total.bookProblems.length}`,
    `${total.leftovers.length}`,
  ];
}

function isAcceptable({ isUnnoticed, total }: FaultSummary): boolean {
  const isComplete = total.finished === total.streams && total.equal === total.streams;
  const isClean = total.bookProblems.length === 0 && total.leftovers.length === 0;
  return isComplete && isClean && (!isUnnoticed || total.streamsWithUnderrun === 0);
}
