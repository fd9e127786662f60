import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatTable } from '../src/cli/table.ts';
import type { Environment } from '../src/config/config.ts';
import { streamSpeech } from './clients/http-client.ts';
import { type LoadReport, simulateListeners } from './clients/simulate-listeners.ts';
import { renderPlot } from './line-plot.ts';
import { describeMachine } from './machine.ts';
import { Children } from './processes/children.ts';
import { residentBytesOf } from './processes/processes.ts';
import { ServerProcess } from './processes/server-process.ts';
import { cost, megabytes, ms } from './report.ts';
import { quantile } from './statistics.ts';
import { longTextFor, mediumTextFor, sentenceFor } from './texts.ts';

const JSON_PATH = fileURLToPath(new URL('../../../.cache/bench/load.json', import.meta.url));
const LISTENERS = '1,2,5,10,20';
const MINUTES = '2';
const THINK_SECONDS = 3;
const SEED = 20;
/** Mix of text lengths, repeated in this order. */
const TEXT_MIX = [sentenceFor, mediumTextFor, sentenceFor, mediumTextFor, longTextFor] as const;

const HELP = `Usage: npm run load -- [option…]

Open-loop load test. Starts the server and sends requests at random times, independent of responses. Prints first
audio, underruns, refused requests, cost and memory for each number of listeners.

  --listeners LIST  Numbers of listeners, separated by commas; default ${LISTENERS}.
  --minutes N       Duration of each load; default ${MINUTES}.
  --svg FILE        Writes a plot of first audio against listeners.
  --json FILE       Path of the JSON results; default .cache/bench/load.json.
  --help
`;

interface Measured extends LoadReport {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Runs the load test and returns the exit status: 1 after an underrun or a failed request. */
export async function main(argv: readonly string[], env: Environment): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      listeners: { type: 'string', default: LISTENERS },
      minutes: { type: 'string', default: MINUTES },
      svg: { type: 'string' },
      json: { type: 'string', default: JSON_PATH },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const sizes = values.listeners.split(',').map(Number);
  const seconds = Number(values.minutes) * 60;
  if (![...sizes, seconds].every((value) => value > 0)) {
    process.stderr.write(HELP);
    return 2;
  }
  const machine = describeMachine();
  const loads = await measureLoads(sizes, seconds, env);
  process.stdout.write(describe(loads));
  await write(resolve(values.json), `${JSON.stringify({ machine, seconds, loads }, null, 2)}\n`);
  if (values.svg !== undefined) await write(resolve(values.svg), draw(loads, machine));
  return loads.every(({ underruns, failed }) => underruns + failed === 0) ? 0 : 1;
}

async function measureLoads(
  sizes: readonly number[],
  seconds: number,
  env: Environment,
): Promise<Measured[]> {
  const server = await ServerProcess.start(env, new Children());
  try {
    const textSeconds = await measureTexts(server);
    const loads: Measured[] = [];
    for (const listeners of sizes) {
      process.stderr.write(`${listeners} listeners…\n`);
      const cpuBefore = server.cpuSeconds();
      const load = await simulateListeners(server, {
        listeners,
        seconds,
        textFor,
        textSeconds,
        thinkSeconds: THINK_SECONDS,
        random: randomFrom(SEED),
      });
      loads.push({
        ...load,
        cpuSeconds: server.cpuSeconds() - cpuBefore,
        memoryBytes: server.pids.reduce((sum, pid) => sum + residentBytesOf(pid), 0),
      });
    }
    return loads;
  } finally {
    await server.stop();
  }
}

/** Mean audio duration of the texts. Also warms up the server. */
async function measureTexts(server: ServerProcess): Promise<number> {
  let audioSeconds = 0;
  for (let request = 0; request < TEXT_MIX.length; request++) {
    audioSeconds += (await streamSpeech(server, textFor(request))).audioSeconds;
  }
  return audioSeconds / TEXT_MIX.length;
}

function textFor(request: number): string {
  return TEXT_MIX[request % TEXT_MIX.length]!(request);
}

function describe(loads: readonly Measured[]): string {
  const headings = [
    'listeners',
    'playing: mean, max',
    'requests',
    'refused',
    'failed',
    'first audio p50',
    'p95',
    'p99',
    'underruns',
    'cost',
    'memory',
  ];
  return formatTable(
    headings,
    loads.map((load) => [
      String(load.listeners),
      `${load.meanPlaying.toFixed(1)}, ${load.maxPlaying}`,
      String(load.requests),
      String(load.refused),
      String(load.failed),
      ...[0.5, 0.95, 0.99].map((share) => ms(quantile(load.firstAudioMs, share))),
      load.underruns === 0 ? '0' : `${load.underruns} (${ms(load.stalledSeconds * 1000)})`,
      cost(load.cpuSeconds / load.audioSeconds),
      megabytes(load.memoryBytes),
    ]),
  );
}

function draw(loads: readonly Measured[], machine: ReturnType<typeof describeMachine>): string {
  const line = (name: string, share: number) => ({
    name,
    values: loads.map(({ firstAudioMs }) => quantile(firstAudioMs, share)),
  });
  return renderPlot({
    title: 'First audio against listeners (s1)',
    subtitle: `${machine.cores} cores, ${machine.cpu}, Node ${machine.node}, ${machine.date.slice(0, 10)}`,
    xLabel: 'concurrent listeners',
    yLabel: 'milliseconds',
    xs: loads.map(({ listeners }) => listeners),
    lines: [line('p50', 0.5), line('p95', 0.95), line('p99', 0.99)],
  });
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Pseudo-random numbers from 0 to 1 with a fixed seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
