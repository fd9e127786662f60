// Checks the monitoring files of deploy/ with a real server: Prometheus scrapes it under load, promtool accepts metrics, rules and
// configuration, and every query of the dashboard returns data. Needs the Debian package prometheus, a build and the models.
//
//   node scripts/check-monitoring.mjs [SECONDS_OF_LOAD]
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CLI_MAIN,
  firstKey,
  form,
  freePort,
  post,
  speak,
  startServer,
  stopServer,
  VOICE_TEXT,
} from './support/real-server.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SECONDS = Number(process.argv[2] ?? 60);

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-monitoring-'));
const [port, metricsPort, prometheusPort] = [await freePort(), await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  MYNAH_DATA: join(scratch, 'data'),
  PORT: String(port),
  MYNAH_METRICS_PORT: String(metricsPort),
  MYNAH_BILLING: 'prepaid',
  MYNAH_LOG_LEVEL: 'warn',
};
let server;
let prometheus;
try {
  server = await startServer({ url, env });
  prometheus = startPrometheus();
  const key = firstKey(join(scratch, 'data'));
  execFileSync(process.execPath, [CLI_MAIN, 'topup', 'acc_first', '100'], { env });
  const requests = await load(key);
  console.log(`load: ${requests} requests within ${SECONDS} s`);

  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  execFileSync('promtool', ['check', 'metrics'], { input: metrics, stdio: ['pipe', 'inherit', 'inherit'] });
  console.log(
    `promtool check metrics: accepted, ${metrics.split('\n').filter((line) => /^\w/.test(line)).length} series`,
  );
  const config = join(ROOT, 'deploy/prometheus/prometheus.yml');
  console.log(
    execFileSync('promtool', ['check', 'config', config], { encoding: 'utf8' }).trim().split('\n').at(-1),
  );
  await checkDashboard();
  console.log(execFileSync('prometheus', ['--version'], { encoding: 'utf8' }).split('\n')[0]);
  await stopServer(server);
} finally {
  server?.kill('SIGKILL');
  prometheus?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

/** The configuration of deploy/, with the ports of this check and a shorter interval. */
function startPrometheus() {
  copyFileSync(join(ROOT, 'deploy/prometheus/mynah-alerts.yml'), join(scratch, 'mynah-alerts.yml'));
  const config = readFileSync(join(ROOT, 'deploy/prometheus/prometheus.yml'), 'utf8');
  writeFileSync(
    join(scratch, 'prometheus.yml'),
    config.replace('127.0.0.1:9464', `127.0.0.1:${metricsPort}`).replaceAll('15s', '2s'),
  );
  const args = [
    `--config.file=${join(scratch, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(scratch, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${prometheusPort}`,
    '--log.level=error',
  ];
  return spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Speech, transcription, cloning, refused and invalid requests. Returns the number of requests. */
async function load(key) {
  const recording = await speak(url, key, { text: VOICE_TEXT, format: 'wav' });
  const text = 'The quick brown fox jumps over the lazy dog. Then it sleeps for a while.';
  let count = 1;
  const repeat = async (make) => {
    for (const endMs = Date.now() + SECONDS * 1000; Date.now() < endMs; count++)
      await (await make()).arrayBuffer();
  };
  await Promise.all([
    repeat(() => post(`${url}/v1/tts`, key, { text })),
    repeat(() => post(`${url}/v1/asr`, key, form({ audio: recording }))),
    repeat(() => post(`${url}/model`, key, form({ title: 'Check', voices: recording }))),
    repeat(async () => {
      await sleep(500);
      return post(`${url}/v1/tts`, key, { text: 1 });
    }),
  ]);
  return count;
}

/** Runs every query of the dashboard as Grafana would. */
async function checkDashboard() {
  const { panels } = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/mynah.json'), 'utf8'));
  const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  const empty = [];
  for (const { title, expr } of queries) {
    const query = expr
      .replaceAll('$job', '.*')
      .replaceAll('$instance', '.*')
      .replaceAll(/\$__(rate_interval|range)/g, `${SECONDS + 10}s`);
    const answer = await fetch(`http://127.0.0.1:${prometheusPort}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query }),
    });
    const { status, data, error } = await answer.json();
    if (status !== 'success') throw new Error(`${title}: ${error}`);
    if (data.result.length === 0) empty.push(`${title}: ${expr}`);
  }
  console.log(`dashboard: ${queries.length - empty.length} of ${queries.length} queries return data`);
  for (const line of empty) console.log(`  no data: ${line}`);
  if (empty.length > 0) process.exitCode = 1;
}
