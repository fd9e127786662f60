import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { CloningPool } from '../../src/inference/runtime/cloning/cloning-pool.ts';
import { ServerFfmpegSlots } from '../../src/inference/runtime/process/ffmpeg-slots.ts';
import { until } from '../support/servers/real-server.ts';
import { synthesizeTalk } from '../support/voices/synthetic-talk.ts';

const RATE = 16_000;
const WAV = encodeWavFile({
  samples: synthesizeTalk({ seconds: 6, sampleRateHz: RATE }),
  sampleRateHz: RATE,
});
/** The header of an AAC frame: a format that only FFmpeg decodes. */
const AAC = Uint8Array.of(0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc, ...new Array<number>(100).fill(0));
const never = new AbortController().signal;

let folder: string;
let ffmpegPath: string;
const pools: CloningPool[] = [];
const slots = new ServerFfmpegSlots(2);

const startPool = (): CloningPool => {
  const pool = new CloningPool({
    engine: 'vits',
    count: 1,
    settings: { modelsRoot: folder, assetsRoot: folder, threads: 1 },
    policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31 },
    waitForWorkerMs: 60_000,
    idleMs: 0,
    prepare: async () => {},
    ffmpegSlots: slots,
    onEvent: () => {},
  });
  pools.push(pool);
  return pool;
};
const taskOf = (...files: readonly Uint8Array[]) => ({
  sources: files.map((bytes) => ({ kind: 'bytes' as const, bytes })),
  sampleRateHz: RATE,
  speechMinSeconds: 1,
  maxSeconds: 60,
  ffmpegPath,
});
const running = () => readdir(join(folder, 'running'));

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-read-'));
  await mkdir(join(folder, 'running'));
  await writeFile(join(folder, 'decoded.wav'), WAV);
  ffmpegPath = join(folder, 'ffmpeg');
  // Stands for FFmpeg: waits for the file `go`, and records how many of its kind run.
  await writeFile(
    ffmpegPath,
    `#!/bin/sh
cd ${JSON.stringify(folder)}
: > running/$$
ls running | wc -l >> counts
echo '  Duration: 00:00:06.00, start' >&2
while [ ! -e go ]; do sleep 0.02; done
rm running/$$
cat decoded.wav
`,
  );
  await chmod(ffmpegPath, 0o700);
});
after(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await rm(folder, { recursive: true, force: true });
});

test('recordings are decoded in a worker process, from memory and from disk', async () => {
  const pool = startPool();
  const path = join(folder, 'upload');
  await writeFile(path, WAV);
  const task = { ...taskOf(WAV), sources: [...taskOf(WAV).sources, { kind: 'file', path } as const] };
  const clips = await pool.read(task, { accountId: 'ada', signal: never });
  assert.deepEqual(
    clips.map(({ isPassed, durationSeconds }) => [isPassed, durationSeconds]),
    [
      [true, 6],
      [true, 6],
    ],
  );
  assert.ok((clips[0]?.speechSamples.length ?? 0) > RATE);
  await assert.rejects(pool.read(taskOf(Buffer.from('no audio')), { accountId: 'ada', signal: never }), {
    code: 'invalid_audio',
  });
});

test('all workers together start no more FFmpeg processes than allowed, and an aborted task ends its process', async () => {
  const tasks = [startPool(), startPool()];
  const leave = new AbortController();
  const read = (pool: CloningPool, signal: AbortSignal) =>
    pool.read(taskOf(AAC), { accountId: 'ada', signal });
  const left = tasks.map((pool) => read(pool, leave.signal));
  const others = tasks.flatMap((pool) => [read(pool, never), read(pool, never)]);
  await until('two processes run', async () => (await running()).length === 2);
  assert.equal(slots.used, 2);
  leave.abort(new Error('left'));
  for (const task of left) await assert.rejects(task, { message: 'left' });
  await writeFile(join(folder, 'go'), '');
  for (const clips of await Promise.all(others)) assert.equal(clips[0]?.durationSeconds, 6);
  const counts = (await readFile(join(folder, 'counts'), 'utf8')).trim().split('\n').map(Number);
  // Killed processes leave their file.
  const killed = (await running()).length;
  assert.ok(counts.length >= 4);
  assert.ok(Math.max(...counts) <= 2 + killed, `${counts}`);
  await until('all slots are free', async () => slots.used === 0);
});

test('a limited number of voices is created at the same time, in turn by account', async () => {
  const pool = startPool();
  const order: string[] = [];
  let running = 0;
  let runningMax = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const create = (accountId: string) =>
    pool.inTurn({ accountId, signal: never, kind: 'creation' }, async () => {
      order.push(accountId);
      runningMax = Math.max(runningMax, ++running);
      await finished;
      running--;
    });
  const creations = [...Array.from({ length: 20 }, () => create('ada')), create('eve')];
  await until('the first ones run', () => running === 8);
  finish();
  await Promise.all(creations);
  assert.equal(runningMax, 8);
  assert.ok(order.indexOf('eve') <= 10, `${order}`);
});
