import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { openModelStore } from '../../src/compose/model-store.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import type { AsrEvent, AsrTask } from '../../src/domain/transcription/pipeline/asr-task.ts';
import { ApiError } from '../../src/errors.ts';
import { TranscriptionPool } from '../../src/inference/runtime/transcription/transcription-pool.ts';
import { noise, tone } from '../support/audio/signals.ts';
import { speakForHearing } from '../support/synthesized-audio.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const ENGINES = ['moonshine-base'];
const { signal } = new AbortController();
let folder: string;
let pool: TranscriptionPool;
let speech: Float32Array;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-hearing-'));
  const { config } = loadConfig(process.env);
  const store = openModelStore(config, process.env);
  for (const id of ['silero-vad', 'moonshine-base']) await store.ensure(id);
  pool = new TranscriptionPool({
    count: 1,
    settings: { modelsRoot: config.modelsFolder, assetsRoot: '', threads: 1 },
    policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31, backOffMinMs: 10 },
    waitForWorkerMs: 60_000,
    idleMs: 0,
    prepare: async () => {},
    onEvent: () => {},
  });
  speech = (await speakForHearing(TEXT)).samples;
});
after(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

async function fileJob(name: string, samples: Float32Array): Promise<AsrTask> {
  const path = join(folder, `${name}.wav`);
  await writeFile(path, encodeWavFile({ samples, sampleRateHz: ASR_SAMPLE_RATE_HZ }));
  return { source: { kind: 'file', path }, engines: ENGINES };
}

async function textOf(events: AsyncIterable<AsrEvent>): Promise<string> {
  const texts: string[] = [];
  for await (const event of events) if (event.type === 'segment') texts.push(event.text);
  return texts.join(' ');
}

test('a file is heard in a process of its own that gives way to others', async () => {
  const job = await fileJob('speech', speech);
  assert.deepEqual(pool.status(), [], 'nothing runs before the first job');
  assert.equal(await textOf(pool.transcribe(job, { signal })), TEXT);
  const [worker] = pool.status();
  assert.ok(worker?.pid !== undefined && worker.pid !== process.pid);
  assert.ok(getPriority(worker.pid) > getPriority(), 'it has a lower priority than this process');
});

for (const { name, chunkSize } of [
  { name: 'while it is sent', chunkSize: 4000 },
  { name: 'when it comes in one piece', chunkSize: Number.POSITIVE_INFINITY },
]) {
  test(`a stream is heard ${name}`, async () => {
    async function* input() {
      for (let at = 0; at < speech.length; at += chunkSize) yield speech.slice(at, at + chunkSize);
    }
    const job: AsrTask = { source: { kind: 'stream' }, engines: ENGINES };
    assert.equal(await textOf(pool.transcribe(job, { signal, input: input() })), TEXT);
  });
}

for (const { name, samples } of [
  { name: 'silence', samples: new Float32Array(4 * ASR_SAMPLE_RATE_HZ) },
  { name: 'white noise', samples: noise(4 * ASR_SAMPLE_RATE_HZ, 0.3) },
  {
    name: 'a chord',
    samples: tone({ frequencyHz: 440, seconds: 4, sampleRateHz: ASR_SAMPLE_RATE_HZ, amplitude: 0.3 }),
  },
]) {
  test(`${name} gives no text`, async () => {
    assert.equal(await textOf(pool.transcribe(await fileJob('other', samples), { signal })), '');
  });
}

test('a killed process fails its job with an error that may be tried again, and another takes its place', async () => {
  const job = await fileJob('long', repeat(speech, 12));
  const { pid } = pool.status()[0]!;
  await assert.rejects(
    async () => {
      for await (const _ of pool.transcribe(job, { signal })) process.kill(pid!, 'SIGKILL');
    },
    (error: unknown) => error instanceof ApiError && error.code === 'engine_failed',
  );
  assert.equal(await textOf(pool.transcribe(await fileJob('again', speech), { signal })), TEXT);
});

test('leaving early frees the worker for the next job', async () => {
  const job = await fileJob('long', repeat(speech, 12));
  for await (const _ of pool.transcribe(job, { signal })) break;
  assert.equal(await textOf(pool.transcribe(await fileJob('next', speech), { signal })), TEXT);
});

test('an abort ends the job with its reason', async () => {
  const controller = new AbortController();
  const job = await fileJob('long', repeat(speech, 12));
  await assert.rejects(
    async () => {
      for await (const _ of pool.transcribe(job, { signal: controller.signal })) controller.abort();
    },
    { name: 'AbortError' },
  );
});

function repeat(samples: Float32Array, times: number): Float32Array {
  const out = new Float32Array(samples.length * times);
  for (let index = 0; index < times; index++) out.set(samples, index * samples.length);
  return out;
}
