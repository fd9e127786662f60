import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../errors.ts';
import { JobFollowers, type JobUpdate } from './job-followers.ts';
import type { TranscriptionJob } from './job-store.ts';
import type { TranscriptSegment } from './transcription-service.ts';

const JOB: TranscriptionJob = {
  id: 'asr_1',
  caller: {
    accountId: 'a',
    keyId: 'k',
    scopes: ['asr'],
    meterId: 'm',
    spendCapNano: undefined,
    requestsPerMinute: undefined,
    concurrencyMax: undefined,
  },
  status: 'running',
  options: {
    model: 'transcribe-1',
    language: 'en',
    prompt: undefined,
    vocabulary: [],
    speakers: undefined,
  },
  view: { format: 'json', ignoreTimestamps: false },
  createdAtMs: 0,
  finishedAtMs: undefined,
  processedSeconds: 0,
  fraction: 0,
  attempts: 1,
  failure: undefined,
};

function segment(text: string): TranscriptSegment {
  return { text, startSeconds: 0, endSeconds: 1, confidence: 1, language: 'en', words: [] };
}

/** A store of one job that counts what is read from it. */
class CountingStore {
  job: TranscriptionJob | undefined = JOB;
  stored: TranscriptSegment[] = [];
  polls = 0;
  segmentsRead = 0;

  async find(): Promise<TranscriptionJob | undefined> {
    this.polls += 1;
    return this.job;
  }

  async segments(_id: string, fromIndex = 0): Promise<readonly TranscriptSegment[]> {
    const found = this.stored.slice(fromIndex);
    this.segmentsRead += found.length;
    return found;
  }

  /** Waits until the followers have read the current state. */
  async nextPolls(count = 2): Promise<void> {
    const until = this.polls + count;
    while (this.polls < until) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function setUp(perAccountMax = 8) {
  const store = new CountingStore();
  const followers = new JobFollowers({ store, perAccountMax, pollEveryMs: 1 });
  const abort = new AbortController();
  return { store, abort, follow: () => followers.follow('a', 'asr_1', abort.signal) };
}

async function textsOf(
  updates: AsyncIterable<JobUpdate>,
  onUpdate: () => void = () => {},
): Promise<string[]> {
  const texts: string[] = [];
  for await (const { segments } of updates) {
    texts.push(...segments.map(({ text }) => text));
    onUpdate();
  }
  return texts;
}

test('a follower receives every segment once, and each is read from the store once for all followers', async () => {
  const { store, follow } = setUp();
  store.stored = [segment('0')];
  const results = Array.from({ length: 5 }, () => textsOf(follow()));
  for (let index = 1; index < 20; index++) {
    await store.nextPolls();
    store.stored.push(segment(`${index}`));
  }
  store.job = { ...JOB, status: 'finished', finishedAtMs: 1 };
  const expected = Array.from({ length: 20 }, (_, index) => `${index}`);
  for (const texts of await Promise.all(results)) assert.deepEqual(texts, expected);
  assert.equal(store.segmentsRead, 20);
});

test('a follower that joins later or reads slowly receives the segments that it missed', async () => {
  const { store, follow } = setUp();
  store.stored = [segment('0')];
  const slow = follow();
  const first = await slow.next();
  store.stored.push(segment('1'));
  await store.nextPolls();
  store.stored.push(segment('2'));
  await store.nextPolls();
  const late = textsOf(follow());
  store.job = { ...JOB, status: 'finished', finishedAtMs: 1 };
  const texts = [
    ...first.value!.segments.map(({ text }: TranscriptSegment) => text),
    ...(await textsOf(slow)),
  ];
  assert.deepEqual(texts, ['0', '1', '2']);
  assert.deepEqual(await late, ['0', '1', '2']);
});

test('polling stops when nobody follows', async () => {
  const { store, follow, abort } = setUp();
  const updates = follow();
  await updates.next();
  abort.abort();
  await assert.rejects(updates.next());
  const { polls } = store;
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.ok(store.polls <= polls + 1, `${store.polls - polls} polls without a follower`);
});

test('followers above the limit of the account are rejected until one leaves', async () => {
  const { follow } = setUp(2);
  const [one, two] = [follow(), follow()];
  await one.next();
  await two.next();
  const isRejected = (error: unknown) => error instanceof ApiError && error.code === 'too_many_connections';
  await assert.rejects(follow().next(), isRejected);
  await one.return(undefined);
  const three = follow();
  assert.equal((await three.next()).done, false);
  await Promise.all([two.return(undefined), three.return(undefined)]);
});

test('a job that is deleted ends its followers with job_not_found', async () => {
  const { store, follow } = setUp();
  const updates = follow();
  await updates.next();
  store.job = undefined;
  await assert.rejects(
    updates.next(),
    (error: unknown) => error instanceof ApiError && error.code === 'job_not_found',
  );
});
