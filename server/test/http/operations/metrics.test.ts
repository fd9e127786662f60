import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Metrics } from '../../../src/compose/metrics.ts';
import { startMetricsServer } from '../../../src/infrastructure/metrics/metrics-server.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { until } from '../../support/servers/real-server.ts';

let metrics: Metrics;
let server: TestServer;
let scrapeKey: string;
let speechKey: string;
before(async () => {
  metrics = await Metrics.create();
  server = await startTestServer({ metrics });
  const create = (scopes: readonly ('metrics' | 'tts')[]) =>
    server.keys.create({ accountId: 'acc_first', name: 'metrics-test-key', scopes });
  scrapeKey = (await create(['metrics'])).key;
  speechKey = (await create(['tts'])).key;
});
after(async () => {
  await server.close();
  await metrics.close();
});

async function scrape(headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${scrapeKey}`, ...headers },
  });
  assert.equal(response.status, 200);
  return response.text();
}

const sampleOf = (body: string, series: string) =>
  Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1) ?? 0,
  );

test('the HTTP port serves metrics only to keys with the scope', async () => {
  const get = (authorization?: string) =>
    fetch(`${server.url}/metrics`, authorization ? { headers: { authorization } } : {});
  assert.equal((await get()).headers.get('x-fish-error-code'), 'invalid_api_key');
  assert.equal((await get(`Bearer ${speechKey}`)).headers.get('x-fish-error-code'), 'insufficient_scope');
  assert.match(await scrape(), /^mynah_build_info\{/m);
  assert.match(await scrape({ accept: 'application/openmetrics-text' }), /# EOF\n$/);
});

test('labels have route templates, and nothing of a request', async () => {
  const marks = ['private-path-1', 'PRIVATE-TEXT-2', 'private-voice-3', 'private-query-4'];
  await server.call(`/model/${marks[0]}?x=${marks[3]}`);
  await server.call(`/nowhere/${marks[0]}`);
  const response = await server.speak({ text: marks[1], reference_id: marks[2] });
  await response.arrayBuffer();
  await until('the requests are counted', async () => (await scrape()).includes('route="unknown"'));
  const body = await scrape();
  for (const mark of [...marks, 'acc_first', server.key, scrapeKey]) {
    assert.ok(!body.includes(mark), `the metrics contain ${mark}`);
  }
  assert.ok(body.includes('route="/model/:id"'));
});

test('a request that the client ends early is counted', async () => {
  const series = 'mynah_http_requests_total{method="POST",route="/v1/tts",status="200"}';
  const countBefore = sampleOf(await scrape(), series);
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({ text: 'word '.repeat(400), format: 'pcm' });
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/tts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${speechKey}\r\nmodel: s1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'data');
  socket.destroy();
  await until('the request is counted', async () => sampleOf(await scrape(), series) === countBefore + 1);
});

test('the private port serves metrics without a key, and nothing else', async () => {
  const private_ = await startMetricsServer({ host: '127.0.0.1', port: 0 }, (accept) =>
    metrics.render(accept),
  );
  try {
    const url = `http://127.0.0.1:${private_.port}`;
    const response = await fetch(`${url}/metrics`);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await response.text(), /^mynah_build_info\{/m);
    assert.equal((await fetch(`${url}/v1/health`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404);
  } finally {
    await private_.close();
  }
});

test('promtool accepts the metrics', async (context) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await scrape(),
    encoding: 'utf8',
    timeout: 60_000,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    return skipWithout('prometheus', context, 'promtool is not installed.');
  }
  assert.equal(status, 0, stdout + stderr);
});
