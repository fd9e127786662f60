import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatTable } from '../src/cli/table.ts';
import type { Environment } from '../src/config/config.ts';
import { Children } from './children.ts';
import { type CrowdReport, serveCrowd } from './crowd.ts';
import { renderPlot } from './line-plot.ts';
import { listen } from './listener.ts';
import { describeMachine } from './machine.ts';
import { residentBytesOf } from './processes.ts';
import { cost, megabytes, ms } from './report.ts';
import { ServerProcess } from './server-process.ts';
import { quantile } from './statistics.ts';
import { longTextFor, mediumTextFor, sentenceFor } from './texts.ts';

const JSON_PATH = fileURLToPath(new URL('../../../.cache/bench/load.json', import.meta.url));
const LISTENERS = '1,2,5,10,20';
const MINUTES = '2';
const THINK_SECONDS = 3;
const SEED = 20;
/** What people ask for: a few words, a paragraph, now and then a page. Repeated in this order. */
const TEXT_MIX = [sentenceFor, mediumTextFor, sentenceFor, mediumTextFor, longTextFor] as const;

const HELP = `Usage: npm run load -- [option…]

Starts the real server and lets crowds of listeners come, each person for one text, at random moments that do not
wait for answers. Prints when the first sound came, whether anybody's playback ran dry, who was refused, and what
it cost.

  --listeners LIST  Sizes of the crowds, separated by commas; ${LISTENERS} unless given.
  --minutes N       How long each crowd comes; ${MINUTES} unless given.
  --svg FILE        Draws first audio against listeners.
  --json FILE       Where the results go as JSON; .cache/bench/load.json unless given.
  --help
`;

interface Measured extends CrowdReport {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Runs the load test and returns the exit status: 1 when a listener who was let in ran dry or got no answer. */
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
  const crowds = await measureCrowds(sizes, seconds, env);
  process.stdout.write(describe(crowds));
  await write(resolve(values.json), `${JSON.stringify({ machine, seconds, crowds }, null, 2)}\n`);
  if (values.svg !== undefined) await write(resolve(values.svg), draw(crowds, machine));
  return crowds.every(({ underruns, failed }) => underruns + failed === 0) ? 0 : 1;
}

async function measureCrowds(
  sizes: readonly number[],
  seconds: number,
  env: Environment,
): Promise<Measured[]> {
  const server = await ServerProcess.start(env, new Children());
  try {
    const textSeconds = await measureTexts(server);
    const crowds: Measured[] = [];
    for (const listeners of sizes) {
      process.stderr.write(`${listeners} listeners…\n`);
      const cpuBefore = server.cpuSeconds();
      const crowd = await serveCrowd(server, {
        listeners,
        seconds,
        textFor,
        textSeconds,
        thinkSeconds: THINK_SECONDS,
        random: randomFrom(SEED),
      });
      crowds.push({
        ...crowd,
        cpuSeconds: server.cpuSeconds() - cpuBefore,
        memoryBytes: server.pids.reduce((sum, pid) => sum + residentBytesOf(pid), 0),
      });
    }
    return crowds;
  } finally {
    await server.stop();
  }
}

/** Speaks each kind of text once, which also warms the server up. */
async function measureTexts(server: ServerProcess): Promise<number> {
  let audioSeconds = 0;
  for (let request = 0; request < TEXT_MIX.length; request++) {
    audioSeconds += (await listen(server, textFor(request))).audioSeconds;
  }
  return audioSeconds / TEXT_MIX.length;
}

function textFor(request: number): string {
  return TEXT_MIX[request % TEXT_MIX.length]!(request);
}

function describe(crowds: readonly Measured[]): string {
  const headings = [
    'listeners',
    'playing: mean, most',
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
    crowds.map((crowd) => [
      String(crowd.listeners),
      `${crowd.meanPlaying.toFixed(1)}, ${crowd.mostPlaying}`,
      String(crowd.requests),
      String(crowd.refused),
      String(crowd.failed),
      ...[0.5, 0.95, 0.99].map((share) => ms(quantile(crowd.firstAudioMs, share))),
      crowd.underruns === 0 ? '0' : `${crowd.underruns} (${ms(crowd.stalledSeconds * 1000)})`,
      cost(crowd.cpuSeconds / crowd.audioSeconds),
      megabytes(crowd.memoryBytes),
    ]),
  );
}

function draw(crowds: readonly Measured[], machine: ReturnType<typeof describeMachine>): string {
  const line = (name: string, share: number) => ({
    name,
    values: crowds.map(({ firstAudioMs }) => quantile(firstAudioMs, share)),
  });
  return renderPlot({
    title: 'First audio against listeners (s1)',
    subtitle: `${machine.cores} cores, ${machine.cpu}, Node ${machine.node}, ${machine.date.slice(0, 10)}`,
    xLabel: 'listeners at once',
    yLabel: 'milliseconds',
    xs: crowds.map(({ listeners }) => listeners),
    lines: [line('p50', 0.5), line('p95', 0.95), line('p99', 0.99)],
  });
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Numbers from 0 to 1 that are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
