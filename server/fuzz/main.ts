import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNHANDLED_REJECTION } from '../src/compose/unhandled-rejections.ts';
import { type Finding, Findings } from './findings.ts';
import { startFuzzServer } from './fuzz-server.ts';
import { HEALTH_MAX_MS, Monitor } from './monitor.ts';
import { readApi } from './operations.ts';
import { type FuzzOptions, parseOptions, USAGE } from './options.ts';
import { createRecordings } from './recordings.ts';
import { CaseRunner, type RunReport } from './run-cases.ts';
import { runSchemathesis, type SchemathesisReport } from './schemathesis.ts';
import { describeSlow } from './slow-response.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Findings that a slow machine can cause. */
const SPEED_KINDS: readonly Finding['kind'][] = ['hang', 'health', 'memory', 'restart'];
const PROGRESS_MS = 60_000;
/** Share of the time that Schemathesis gets when other groups run too. */
const SCHEMATHESIS_SHARE = 0.3;

/** `npm run fuzz`. Returns the exit status: 1 when there are findings. */
export async function main(args: readonly string[]): Promise<number> {
  let options: FuzzOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  if (options.wantsHelp) {
    console.log(USAGE);
    return 0;
  }
  console.log(`Seed ${options.seed}; groups: ${options.groups.join(', ')}.`);
  return run(options);
}

async function run(options: FuzzOptions): Promise<number> {
  const { seed } = options;
  const folder = join(ROOT, '.cache/fuzz', `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${seed}`);
  const findings = new Findings(folder);
  const recordings = await createRecordings();
  const { server, keys } = await startFuzzServer();
  const headers = { authorization: `Bearer ${keys.paying}` };
  const context = { api: await readApi(server.url, headers), keys, recordings };
  const isServerAlive = () => server.process.exitCode === null && server.process.signalCode === null;
  const hasOthers = options.groups.some((name) => name !== 'schemathesis');
  const schemathesisMinutes =
    !options.groups.includes('schemathesis') || options.onlyCase !== undefined
      ? 0
      : options.minutes * (hasOthers ? SCHEMATHESIS_SHARE : 1);
  const minutes = options.minutes - schemathesisMinutes;
  const runner = new CaseRunner({ ...options, minutes, url: server.url, context, findings, isServerAlive });
  const monitor = new Monitor(server, findings, () => runner.recent());
  const startedAtMs = Date.now();
  const cases = hasOthers ? await runReporting(runner, findings) : { requests: {}, statuses: {}, late: 0 };
  const schemathesis: SchemathesisReport =
    schemathesisMinutes > 0 && isServerAlive()
      ? await runSchemathesis({
          url: server.url,
          key: keys.paying,
          seed,
          minutes: schemathesisMinutes,
          phases: options.phases,
          findings,
        })
      : { kind: 'skipped', reason: 'not selected' };
  if (!isServerAlive()) {
    findings.add({
      kind: 'death',
      signature: 'death',
      message: `The HTTP process ended (${server.process.signalCode ?? `exit status ${server.process.exitCode}`}). Last cases: ${runner.recent()}. Output: ${server.output().slice(-2000)}`,
    });
  }
  const rejection = server.output().indexOf(UNHANDLED_REJECTION);
  if (rejection >= 0) {
    findings.add({
      kind: 'rejection',
      signature: 'rejection',
      message: `Output: ${server.output().slice(Math.max(0, rejection - 2000), rejection + 200)}`,
    });
  }
  const measured = await monitor.stop();
  findings.store('server.log', server.output());
  await server.close();
  const seconds = (Date.now() - startedAtMs) / 1000;
  const total = Object.values(cases.requests).reduce((sum, count) => sum + count, 0);
  const report = { seed, seconds, total, ...cases, schemathesis, measured, findings: findings.all() };
  const path = findings.store('report.json', JSON.stringify(report, null, 2));
  print(report, path);
  const failing = findings.all().filter(({ kind }) => !options.isSlowMachine || !SPEED_KINDS.includes(kind));
  return failing.length === 0 ? 0 : 1;
}

/** Runs the cases and prints their number once a minute. SIGINT and SIGTERM end the run early, with its report. */
async function runReporting(runner: CaseRunner, findings: Findings): Promise<RunReport> {
  const progress = setInterval(() => {
    console.log(`${new Date().toISOString()}: ${runner.started} cases, ${findings.all().length} findings`);
  }, PROGRESS_MS);
  const stop = () => runner.stop();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await runner.run();
  } finally {
    clearInterval(progress);
    for (const signal of signals) process.off(signal, stop);
  }
}

function print(
  report: {
    readonly seed: number;
    readonly seconds: number;
    readonly total: number;
    readonly requests: Readonly<Record<string, number>>;
    readonly statuses: Readonly<Record<string, number>>;
    readonly late: number;
    readonly schemathesis: SchemathesisReport;
    readonly measured: Awaited<ReturnType<Monitor['stop']>>;
    readonly findings: readonly { readonly kind: string; readonly count: number; readonly message: string }[];
  },
  path: string,
): void {
  const { measured, schemathesis } = report;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort()
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ');
  console.log(`\n${report.total} cases in ${report.seconds.toFixed(0)} s (seed ${report.seed})`);
  console.log(`  ${list(report.requests)}`);
  console.log(`  responses: ${list(report.statuses)}; ${report.late} took over a minute`);
  console.log(
    `  Schemathesis: ${schemathesis.kind === 'skipped' ? `skipped: ${schemathesis.reason}` : schemathesis.summary}`,
  );
  const byMachine = measured.slowestByMachine;
  console.log(
    `  health: ${measured.probes} probes, slowest ${measured.slowestHealthMs} ms (limit ${HEALTH_MAX_MS}); ${measured.slowByMachine} slower while the event loop did not use the CPU`,
  );
  if (byMachine !== undefined) {
    console.log(`    slowest of these: ${describeSlow(byMachine)}`);
  }
  console.log(
    `  machine: ${(100 * measured.machine.idle).toFixed(0)} % idle, ${(100 * measured.machine.stolen).toFixed(0)} % stolen by the hypervisor`,
  );
  const growth =
    measured.serverGrowth === undefined ? 'run too short' : `${(measured.serverGrowth * 100).toFixed(1)} %`;
  console.log(
    `  memory of the HTTP process: ${JSON.stringify(measured.serverMebibytes)} MiB, growth ${growth}`,
  );
  console.log(`  used part of its JavaScript heap: ${JSON.stringify(measured.heapMebibytes)} MiB`);
  console.log(
    `  memory of the workers: ${JSON.stringify(measured.workerMebibytes)} MiB; restarts: ${measured.workerRestarts}`,
  );
  console.log(`${report.findings.length} findings; report: ${path}`);
  for (const { kind, count, message } of report.findings)
    console.log(`  ✖ ${kind} ×${count}: ${message.slice(0, 300)}`);
}
