import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModelStore } from '../src/compose/model-store.ts';
import { type Environment, loadConfig } from '../src/config/config.ts';
import type { BenchContext } from './bench-context.ts';
import { streamSpeech } from './clients/http-client.ts';
import { FULL_EFFORT, QUICK_EFFORT } from './effort.ts';
import { describeMachine } from './machine.ts';
import { measureBilling } from './measurements/measure-billing.ts';
import { measureCloning } from './measurements/measure-cloning.ts';
import { measureCluster } from './measurements/measure-cluster.ts';
import { measureConsole } from './measurements/measure-console.ts';
import { measureCpu } from './measurements/measure-cpu.ts';
import { measureDecoders } from './measurements/measure-decoders.ts';
import { measureDisconnect } from './measurements/measure-disconnect.ts';
import { measureFirstAudio } from './measurements/measure-first-audio.ts';
import { measureHttp } from './measurements/measure-http.ts';
import { measureLiveTranscription } from './measurements/measure-live-transcription.ts';
import { measureLongRecording } from './measurements/measure-long-recording.ts';
import { measureMemory } from './measurements/measure-memory.ts';
import { measureParallel } from './measurements/measure-parallel.ts';
import { measurePeers } from './measurements/measure-peers.ts';
import { measureReference } from './measurements/measure-reference.ts';
import { measureSlowReaders } from './measurements/measure-slow-readers.ts';
import { measureStreams } from './measurements/measure-streams.ts';
import { measureTranscription } from './measurements/measure-transcription.ts';
import { type BenchOptions, HELP, type PartName, parseOptions, UsageError } from './options.ts';
import { Children } from './processes/children.ts';
import { ServerProcess } from './processes/server-process.ts';
import { type PartReport, renderTable } from './report.ts';
import { TEXTS } from './texts.ts';
import { loadWordCounter } from './word-errors.ts';

const CACHE_FOLDER = fileURLToPath(new URL('../../../.cache/bench', import.meta.url));
const DEFAULT_JSON = join(CACHE_FOLDER, 'result.json');
const INTERRUPTED = 130;
/** Load average per core above which the results are not reliable. */
const LOAD_PER_CORE_MAX = 0.3;

const MEASURES: Readonly<Record<PartName, (context: BenchContext) => Promise<PartReport>>> = {
  'first-audio': measureFirstAudio,
  cpu: measureCpu,
  decoders: measureDecoders,
  streams: measureStreams,
  parallel: measureParallel,
  memory: measureMemory,
  disconnect: measureDisconnect,
  'slow-readers': measureSlowReaders,
  billing: measureBilling,
  cloning: measureCloning,
  reference: measureReference,
  transcription: measureTranscription,
  'live-transcription': measureLiveTranscription,
  'long-recording': measureLongRecording,
  cluster: measureCluster,
  console: measureConsole,
  http: measureHttp,
  peers: measurePeers,
};

/** Runs the benchmark and returns the exit status: 0 success, 1 failure, 2 invalid usage, 130 interrupted. */
export async function main(argv: readonly string[], env: Environment): Promise<number> {
  const interrupt = new AbortController();
  try {
    const options = parseOptions(argv);
    if (options.wantsHelp) process.stdout.write(HELP);
    else await bench(options, env, interrupt);
    return 0;
  } catch (error) {
    if (interrupt.signal.aborted) return INTERRUPTED;
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${HELP}`);
      return 2;
    }
    process.stderr.write(`The benchmark failed: ${error instanceof Error ? error.stack : error}\n`);
    return 1;
  }
}

async function bench(options: BenchOptions, env: Environment, interrupt: AbortController): Promise<void> {
  const children = new Children();
  stopOnSignals(children, interrupt);
  const machine = describeMachine();
  if (machine.loadAverage > machine.cores * LOAD_PER_CORE_MAX) {
    note(
      `The machine is busy (load ${machine.loadAverage.toFixed(1)}): times will be longer than on an idle machine.`,
    );
  }
  note('Starting the server…');
  const server = await ServerProcess.start(env, children);
  try {
    const { config } = loadConfig(env);
    const context: BenchContext = {
      server,
      children,
      effort: options.isQuick ? QUICK_EFFORT : FULL_EFFORT,
      store: openModelStore(config, env),
      engineSettings: {
        modelsRoot: config.modelsFolder,
        threads: config.threads || Math.max(1, Math.floor(availableParallelism() / server.workerPids.length)),
      },
      cacheFolder: CACHE_FOLDER,
      recordings: options.recordings && resolve(options.recordings),
      countWordErrors: await loadWordCounter(options.normalizer && resolve(options.normalizer)),
      minutes: options.minutes,
    };
    await warmUp(server);
    const reports = await runParts(options.parts, context, interrupt.signal);
    process.stdout.write(renderTable(reports.flatMap(([, report]) => report.rows)));
    const path = options.jsonPath === undefined ? DEFAULT_JSON : resolve(options.jsonPath);
    await writeJson(path, { machine, isQuick: options.isQuick, parts: Object.fromEntries(reports) });
    note(`Results written to ${path}.`);
  } finally {
    await server.stop();
  }
}

async function runParts(
  parts: readonly PartName[],
  context: BenchContext,
  interrupt: AbortSignal,
): Promise<(readonly [PartName, PartReport])[]> {
  const reports: (readonly [PartName, PartReport])[] = [];
  for (const part of parts) {
    note(`Measuring: ${part}…`);
    reports.push([part, await MEASURES[part](context)]);
    interrupt.throwIfAborted();
  }
  return reports;
}

/** Warms up every worker, since its first utterance is slower. */
async function warmUp(server: ServerProcess): Promise<void> {
  const texts = server.workerPids.flatMap(() => [TEXTS[60], TEXTS[300]]);
  await Promise.all(texts.map((text) => streamSpeech(server, text)));
}

/** The first signal stops the child processes and the current measurement; the second exits immediately. */
function stopOnSignals(children: Children, interrupt: AbortController): void {
  const stop = () => {
    if (interrupt.signal.aborted) process.exit(INTERRUPTED);
    interrupt.abort();
    void children.stopAll();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

async function writeJson(path: string, result: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`);
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
