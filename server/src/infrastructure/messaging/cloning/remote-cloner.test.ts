import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CloningEvent, CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import type { ClonedVoice } from '../../../domain/voices/voice-cloner.ts';
import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';
import type { RemoteEvent, RemoteTask } from '../remote/dispatch-client.ts';
import { decodeCloningJob, encodeCloningJob } from './cloning-payloads.ts';
import { cloningRunner } from './cloning-runner.ts';
import { RemoteCloner } from './remote-cloner.ts';

const { signal } = new AbortController();
const CLONER = { name: 'test-1', engine: 'vits', sampleRateHz: 16_000 } as const;

/** A vector that does not fit into one message. */
function voiceOf(number: number): ClonedVoice {
  const vector = new Float32Array(PAYLOAD_MAX_BYTES / 4 + 100).fill(number);
  return { engine: 'vits', vector, loudnessLufs: -20, gender: 'female', measures: { similarity: number } };
}

/** A cloning pool that yields this many voices per job. */
function scripted(count: number, delayMs = 0) {
  const jobs: CloningJob[] = [];
  return {
    jobs,
    presence: () => ({ processes: 1, engines: [] }),
    async *run(job: CloningJob): AsyncGenerator<CloningEvent> {
      jobs.push(job);
      for (let number = 1; number <= count; number++) {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        yield { kind: 'voice', voice: voiceOf(number) };
      }
    },
  };
}

/** Runs tasks in this process. The first attempt is lost after this many events. */
function clientOf(local: ReturnType<typeof scripted>, lostAfter = Number.POSITIVE_INFINITY) {
  const runner = cloningRunner(local, { slots: 1, workingEveryMs: 5 });
  const payloads: Uint8Array[] = [];
  return {
    payloads,
    async *run(task: RemoteTask): AsyncGenerator<RemoteEvent> {
      const input = (async function* () {})();
      for (let attempt = 1; attempt <= 2; attempt++) {
        let events = 0;
        for await (const payload of runner.run(task.job, { signal: task.signal, input })) {
          if (attempt === 1 && events++ >= lostAfter) break;
          payloads.push(payload);
          yield { attempt, workerId: `worker-${attempt}`, payload };
        }
        if (events <= lostAfter) return;
      }
    },
  };
}

async function collect(voices: AsyncIterable<ClonedVoice>): Promise<readonly ClonedVoice[]> {
  const found: ClonedVoice[] = [];
  for await (const voice of voices) found.push(voice);
  return found;
}

test('clips reach the worker and the voice comes back exactly, in messages below the limit', async () => {
  const local = scripted(1);
  const client = clientOf(local);
  const cloner = new RemoteCloner(client, { cloner: CLONER, waitForWorkerMs: 1000 });
  const clip = Float32Array.from({ length: 1000 }, (_, index) => Math.sin(index));
  assert.deepEqual(await cloner.clone([clip], signal), voiceOf(1));
  const [job] = local.jobs;
  assert.ok(job?.kind === 'clone' && job.engine === 'vits');
  assert.deepEqual(job.clips, [clip]);
  assert.ok(client.payloads.every(({ byteLength }) => byteLength <= PAYLOAD_MAX_BYTES));
});

test('a transcribed excerpt reaches the worker', async () => {
  const local = scripted(1);
  const cloner = new RemoteCloner(clientOf(local), { cloner: CLONER, waitForWorkerMs: 1000 });
  const excerpt = { samples: Float32Array.of(0.1, 0.2), text: 'A sentence.' };
  await collect(cloner.refine([new Float32Array(10)], { from: voiceOf(0), excerpt }, signal));
  const [job] = local.jobs;
  assert.ok(job?.kind === 'clone');
  assert.deepEqual(job.excerpt, excerpt);
  assert.throws(
    () => decodeCloningJob(encodeCloningJob({ ...job, excerpt: { text: 1 } as never })),
    TypeError,
  );
});

test('a long search sends signs of life, which are not voices', async () => {
  const client = clientOf(scripted(2, 40));
  const cloner = new RemoteCloner(client, { cloner: CLONER, waitForWorkerMs: 1000 });
  const voices = await collect(cloner.refine([new Float32Array(10)], { from: voiceOf(0) }, signal));
  assert.deepEqual(voices, [voiceOf(1), voiceOf(2)]);
  assert.ok(client.payloads.length > 4);
});

test('after the loss of a worker, voices that were delivered are not delivered again', async () => {
  const local = scripted(3);
  // Each voice has two payloads: the second voice is lost in its middle.
  const client = clientOf(local, 3);
  const cloner = new RemoteCloner(client, { cloner: CLONER, waitForWorkerMs: 1000 });
  const targets = {} as Parameters<RemoteCloner['design']>[0]['targets'];
  const voices = await collect(cloner.design({ targets, count: 3, seed: 1 }, signal));
  assert.deepEqual(voices, [voiceOf(1), voiceOf(2), voiceOf(3)]);
  assert.equal(local.jobs.length, 2);
});
