import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { buildEpub, buildLongBook } from '../support/documents/epub-writer.ts';
import { type RealServer, startRealServer } from '../support/servers/real-server.ts';

/** `scripts/check-audiobook.mjs` does the same with a long book. */
const CHARS = 800;
const CHAPTERS = 2;
/** Progress at which the server is killed. */
const KILL_AT = 0.45;
const ENV = { MYNAH_ASR_JOB_LEASE_SECONDS: '2' };
const TIMEOUT_MS = 270_000;
const hasFfprobe = spawnSync('ffprobe', ['-version']).status === 0;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly chapters: readonly { readonly title: string; readonly start: number | null }[];
  readonly error: unknown;
}

async function call<Body>(server: RealServer, path: string, init: RequestInit = {}): Promise<Body> {
  const headers = { authorization: `Bearer ${server.key}`, model: 's1', ...init.headers };
  const response = await fetch(server.url + path, { ...init, headers });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as Body;
}

/** Submits the book. The idempotency key makes a repeated submission the same job. */
function submit(server: RealServer, key: string): Promise<Job> {
  const body = new FormData();
  const book = { title: 'The Long Winter', author: 'Nobody', chapters: buildLongBook(CHARS, CHAPTERS) };
  body.append('file', new Blob([new Uint8Array(buildEpub(book))]), 'book.epub');
  body.append('options', JSON.stringify({ seed: 7, format: hasFfprobe ? 'm4b' : 'mp3' }));
  return call(server, '/v1/tts/jobs', { method: 'POST', body, headers: { 'idempotency-key': key } });
}

/** Waits until the job has this progress or has ended. */
async function reach(server: RealServer, id: string, progress: number): Promise<Job> {
  for (const endMs = Date.now() + TIMEOUT_MS; Date.now() < endMs; await delay(50)) {
    const job = await call<Job>(server, `/v1/tts/jobs/${id}`);
    if (job.progress >= progress || ['finished', 'failed', 'paused'].includes(job.status)) return job;
  }
  throw new Error(`The job did not reach ${progress}.`);
}

async function download(server: RealServer, id: string, target: string): Promise<string> {
  const headers = { authorization: `Bearer ${server.key}` };
  const response = await fetch(`${server.url}/v1/tts/jobs/${id}/audio`, { headers });
  assert.equal(response.status, 200);
  const bytes = Buffer.from(await response.arrayBuffer());
  await writeFile(target, bytes);
  return createHash('sha256').update(bytes).digest('hex');
}

async function kill(server: RealServer): Promise<void> {
  const exited = new Promise((resolve) => server.process.once('exit', resolve));
  server.process.kill('SIGKILL');
  await exited;
}

test('an audiobook whose server is killed equals the uninterrupted one', {
  timeout: 3 * TIMEOUT_MS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-book-'));
  const start = () => startRealServer({ dataFolder: join(folder, 'data'), env: ENV });
  let server = await start();
  try {
    const plain = await submit(server, 'uninterrupted');
    const finished = await reach(server, plain.id, 1);
    assert.equal(finished.status, 'finished', JSON.stringify(finished.error));
    const expected = await download(server, plain.id, join(folder, 'uninterrupted'));

    const interrupted = await submit(server, 'killed');
    await reach(server, interrupted.id, KILL_AT);
    await kill(server);
    server = await start();
    const again = await reach(server, interrupted.id, 1);
    assert.equal(again.status, 'finished', JSON.stringify(again.error));
    assert.equal(await download(server, again.id, join(folder, 'killed')), expected);
    assert.deepEqual(again.chapters, finished.chapters);
    assert.equal(again.chapters.length, CHAPTERS);
    if (hasFfprobe)
      assert.deepEqual(
        chaptersOf(join(folder, 'killed')),
        again.chapters.map(({ title }) => title),
      );
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

function chaptersOf(path: string): string[] {
  const { stdout } = spawnSync('ffprobe', ['-v', 'error', '-show_chapters', '-of', 'json', path]);
  const { chapters } = JSON.parse(stdout.toString()) as { chapters: { tags: { title: string } }[] };
  return chapters.map(({ tags }) => tags.title);
}
