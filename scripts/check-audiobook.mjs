// Speaks a long book twice with real servers: once undisturbed, once with a server that is killed on the way. Checks
// that both files are equal, that ffprobe lists the chapters, and reports the memory of server and workers.
// node scripts/check-audiobook.mjs [--characters 300000] [--kills 3] [--folder FOLDER] [--only uninterrupted|killed]
// FOLDER keeps the data and the results; a run that was interrupted continues there.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildEpub, buildLongBook } from '../server/dist/test/support/documents/epub-writer.js';
import { assert, firstKey, form, freePort, startServer, stopServer } from './support/real-server.mjs';

const CHAPTER_CHARACTERS = 10_000;
const SAMPLE_EVERY_MS = 2_000;
/** Short, so that a new server soon continues the job of a killed one. */
const LEASE_SECONDS = '10';

const { values } = parseArgs({
  options: {
    characters: { type: 'string', default: '300000' },
    kills: { type: 'string', default: '3' },
    folder: { type: 'string', default: mkdtempSync(join(tmpdir(), 'mynah-audiobook-')) },
    only: { type: 'string' },
  },
});
const characters = Number(values.characters);
const chapterCount = Math.max(2, Math.round(characters / CHAPTER_CHARACTERS));
const book = buildEpub({
  title: 'The Long Winter',
  author: 'Nobody',
  chapters: buildLongBook(characters, chapterCount),
});

const kills = { uninterrupted: 0, killed: Number(values.kills) };
for (const [name, count] of Object.entries(kills)) {
  if (values.only === undefined || values.only === name) await speakBook(name, count);
}
const [plain, killed] = Object.keys(kills).map((name) => join(values.folder, name, 'book.m4b'));
if (existsSync(plain) && existsSync(killed)) await compare(plain, killed);

/** Speaks the book in a data folder of its own, and downloads the file. */
async function speakBook(name, killCount) {
  const folder = join(values.folder, name);
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, MYNAH_DATA: data, PORT: String(port), MYNAH_LOG_LEVEL: 'warn' };
  const start = () =>
    startServer({ url, env: { ...env, MYNAH_WORKERS: '2', MYNAH_ASR_JOB_LEASE_SECONDS: LEASE_SECONDS } });
  let server = await start();
  try {
    const key = firstKey(data);
    const { id } = await submit(url, key);
    for (let count = 1; count <= killCount; count++) {
      const part = await follow({ url, key, id, server }, (0.9 * count) / (killCount + 1));
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      report(name, part, 'killed');
      server = await start();
    }
    const part = await follow({ url, key, id, server }, 1);
    report(name, part, part.job.status);
    assert(part.job.status === 'finished', JSON.stringify(part.job.error));
    await download(url, key, id, join(folder, 'book.m4b'));
  } finally {
    await stopServer(server);
  }
}

function report(name, { job, memory }, event) {
  const third = Math.ceil(memory.length / 3);
  const thirds = [0, 1, 2].map((index) => Math.max(...memory.slice(index * third, (index + 1) * third), 0));
  console.log(
    `${name}: ${event} at ${(100 * job.progress).toFixed(1)} %; memory of this process and its workers by thirds: ${thirds.map(Math.round).join(', ')} MiB`,
  );
}

/** Waits until the job has this progress or has ended, and samples the memory. */
async function follow({ url, key, id, server }, progress) {
  const memory = [];
  for (;;) {
    const job = await call(`${url}/v1/tts/jobs/${id}`, key);
    if (job !== undefined) {
      memory.push(memoryOf(server.pid));
      if (job.progress >= progress || !['queued', 'running'].includes(job.status)) return { job, memory };
    }
    await sleep(SAMPLE_EVERY_MS);
  }
}

/** Resident memory of a process and its children in MiB. */
function memoryOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return [pid, ...children].reduce((sum, id) => {
    try {
      return sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    } catch {
      return sum;
    }
  }, 0);
}

/** The idempotency key makes a repeated submission the same job. */
async function submit(url, key) {
  const body = form({ options: JSON.stringify({ seed: 7, format: 'm4b' }) });
  body.append('file', new Blob([book]), 'book.epub');
  const headers = { authorization: `Bearer ${key}`, model: 's1', 'idempotency-key': 'check-audiobook' };
  const response = await fetch(`${url}/v1/tts/jobs`, { method: 'POST', body, headers });
  assert(response.ok, `${response.status} ${await response.clone().text()}`);
  return response.json();
}

/** The body of a response; undefined when the connection was lost, as after a pause of the process. */
async function call(url, key) {
  let response;
  try {
    response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  } catch {
    return undefined;
  }
  assert(response.ok, `${response.status}`);
  return response.json();
}

async function download(url, key, id, path) {
  const response = await fetch(`${url}/v1/tts/jobs/${id}/audio`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert(response.ok, `${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
}

async function compare(plain, killed) {
  const digests = [await digestOf(plain), await digestOf(killed)];
  console.log(`SHA-256: ${digests.join(', ')}`);
  assert(digests[0] === digests[1], 'the files differ');
  const probe = ['-v', 'error', '-show_chapters', '-show_format', '-of', 'json', killed];
  const { chapters, format } = JSON.parse(execFileSync('ffprobe', probe, { encoding: 'utf8' }));
  assert(chapters.length === chapterCount, `${chapters.length} chapters instead of ${chapterCount}`);
  console.log(
    `ffprobe: ${chapters.length} chapters, ${format.duration} s, ${format.size} bytes. The files are equal.`,
  );
}

async function digestOf(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
