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
import { synthesizeForAsr } from '../support/audio/synthesized-audio.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const ENGINES = ['moonshine-base'];
const { signal } = new AbortController();
let folder: string;
let pool: TranscriptionPool;
let speech: Float32Array;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-transcription-'));
  const { config } = loadConfig(process.env);
  const store = openModelStore(config, process.env);
  for (const id of ['silero-vad', 'moonshine-base']) await store.ensure(id);
  pool = new TranscriptionPool({
    count: 1,
    liveCount: 1,
    settings: { modelsRoot: config.modelsFolder, assetsRoot: '', threads: 1 },
    policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31, backOffMinMs: 10 },
    waitForWorkerMs: 60_000,
    idleMs: 0,
    prepare: async () => {},
    onEvent: () => {},
  });
  speech = (await synthesizeForAsr(TEXT)).samples;
});
after(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

async function fileTask(name: string, samples: Float32Array): Promise<AsrTask> {
  const path = join(folder, `${name}.wav`);
  await writeFile(path, encodeWavFile({ samples, sampleRateHz: ASR_SAMPLE_RATE_HZ }));
  return { source: { kind: 'file', path }, engines: ENGINES };
}

async function textOf(events: AsyncIterable<AsrEvent>): Promise<string> {
  const texts: string[] = [];
  for await (const event of events) if (event.type === 'segment') texts.push(event.text);
  return texts.join(' ');
}

test('a file is transcribed in a separate process with a lower priority', async () => {
  const task = await fileTask('speech', speech);
  assert.deepEqual(pool.status(), [], 'no process runs before the first task');
  assert.equal(await textOf(pool.transcribe(task, { signal })), TEXT);
  const [worker] = pool.status();
  assert.ok(worker?.pid !== undefined && worker.pid !== process.pid);
  // 19 is the lowest priority.
  const niceness = getPriority(worker.pid);
  assert.ok(niceness > getPriority() || getPriority() === 19, `niceness ${niceness}`);
});

test('a job is transcribed in another process with a lower priority than a file whose client waits', async () => {
  const isBefore = new Set(pool.status().map(({ pid }) => pid));
  const task = { ...(await fileTask('job', speech)), isJob: true };
  assert.equal(await textOf(pool.transcribe(task, { signal })), TEXT);
  const [job, ...others] = pool.status().filter(({ pid }) => !isBefore.has(pid));
  assert.deepEqual(others, []);
  const [jobNiceness, fileNiceness] = [job?.pid, pool.status()[0]!.pid].map((pid) => getPriority(pid));
  assert.ok(jobNiceness! > fileNiceness! || fileNiceness === 19, `${jobNiceness}, ${fileNiceness}`);
});

for (const { name, chunkSize } of [
  { name: 'while it is sent', chunkSize: 4000 },
  { name: 'when it is sent in one chunk', chunkSize: Number.POSITIVE_INFINITY },
]) {
  test(`a stream is transcribed ${name}`, async () => {
    async function* input() {
      for (let at = 0; at < speech.length; at += chunkSize) yield speech.slice(at, at + chunkSize);
    }
    const task: AsrTask = { source: { kind: 'stream' }, engines: ENGINES };
    assert.equal(await textOf(pool.transcribe(task, { signal, input: input() })), TEXT);
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
    assert.equal(await textOf(pool.transcribe(await fileTask('other', samples), { signal })), '');
  });
}

test('a killed process fails its task with a retryable error, and another process replaces it', async () => {
  const task = await fileTask('long', repeat(speech, 12));
  const { pid } = pool.status()[0]!;
  await assert.rejects(
    async () => {
      for await (const _ of pool.transcribe(task, { signal })) process.kill(pid!, 'SIGKILL');
    },
    (error: unknown) => error instanceof ApiError && error.code === 'engine_failed',
  );
  assert.equal(await textOf(pool.transcribe(await fileTask('again', speech), { signal })), TEXT);
});

test('leaving the loop early frees the worker for the next task', async () => {
  const task = await fileTask('long', repeat(speech, 12));
  for await (const _ of pool.transcribe(task, { signal })) break;
  assert.equal(await textOf(pool.transcribe(await fileTask('next', speech), { signal })), TEXT);
});

test('an abort ends the task with the reason of the signal', async () => {
  const controller = new AbortController();
  const task = await fileTask('long', repeat(speech, 12));
  await assert.rejects(
    async () => {
      for await (const _ of pool.transcribe(task, { signal: controller.signal })) controller.abort();
    },
    { name: 'AbortError' },
  );
});

function repeat(samples: Float32Array, times: number): Float32Array {
  const out = new Float32Array(samples.length * times);
  for (let index = 0; index < times; index++) out.set(samples, index * samples.length);
  return out;
}
