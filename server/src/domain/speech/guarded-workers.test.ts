import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeechPart, Utterance } from '../engines/tts-engine.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import { FailingTexts } from './failing-texts.ts';
import { GuardedWorkers } from './guarded-workers.ts';
import type { SpeechWorkers } from './speech-workers.ts';

const PART: SpeechPart = { samples: new Float32Array(240), sampleRateHz: 24_000 };
const REFUSED = { code: 'text_not_synthesizable', status: 400 };
const LOST = { name: 'WorkerLostError' };

function setup(attempt: (count: number) => WorkerLostError | undefined, rememberMs = 60_000) {
  let nowMs = 0;
  let calls = 0;
  const workers: SpeechWorkers = {
    async *speak() {
      calls += 1;
      const error = attempt(calls);
      if (error) throw error;
      yield PART;
    },
  };
  const guarded = new GuardedWorkers(workers, new FailingTexts({ rememberMs, now: () => nowMs }));
  const speak = async (text: string, { accountId = 'a', engine = 'kokoro', start = 0 } = {}) => {
    const words = [{ text, start, end: start + text.length, before: '', after: '' }];
    const voice = { kind: 'named', name: 'x' } as const;
    const utterance: Utterance = { words, language: 'en-US', voice, speed: 1, seed: start };
    const { signal } = new AbortController();
    const options = { dueAtMs: 0, isFirstAudio: true, stream: {}, accountId, signal };
    for await (const _ of guarded.speak(engine, utterance, options));
  };
  return {
    speak,
    calls: () => calls,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const suspect = () => new WorkerLostError('killed', { isSuspect: true });

test('an utterance on which two workers were lost is refused, and reaches no further worker', async () => {
  const { speak, calls } = setup(suspect);
  await assert.rejects(speak('bad'), LOST);
  await assert.rejects(speak('bad', { start: 99 }), REFUSED);
  await assert.rejects(speak('bad'), REFUSED);
  assert.equal(calls(), 2);
});

test('workers that are lost together count once for a text that they have in common', async () => {
  const { speak } = setup((count) => (count <= 4 ? suspect() : undefined));
  const lost = await Promise.allSettled([speak('hello'), speak('hello'), speak('hello'), speak('hello')]);
  for (const result of lost) assert.equal(result.status === 'rejected' && result.reason.name, LOST.name);
  await speak('hello');
});

test('another text, account or engine is not refused', async () => {
  const { speak } = setup((count) => (count <= 2 ? suspect() : undefined));
  await assert.rejects(speak('bad'), LOST);
  await assert.rejects(speak('bad'), REFUSED);
  await speak('good');
  await speak('bad', { accountId: 'b' });
  await speak('bad', { engine: 'piper' });
});

test('a text is tried again after the time limit', async () => {
  const { speak, pass } = setup((count) => (count <= 2 ? suspect() : undefined));
  await assert.rejects(speak('bad'), LOST);
  await assert.rejects(speak('bad'), REFUSED);
  pass(60_001);
  await speak('bad');
});

test('a success proves that an earlier loss had another cause', async () => {
  const { speak } = setup((count) => (count % 2 === 1 ? suspect() : undefined));
  for (let round = 0; round < 3; round++) {
    await assert.rejects(speak('good'), LOST);
    await speak('good');
  }
});

test('the loss of a worker during a step of another stream is not held against a text', async () => {
  const { speak } = setup(() => new WorkerLostError('killed'));
  for (let round = 0; round < 5; round++) await assert.rejects(speak('good'), LOST);
});

test('the number of remembered texts is bounded', () => {
  const failing = new FailingTexts({ rememberMs: 60_000 });
  for (let index = 0; index < 1001; index++) failing.refuse(`text ${index}`);
  failing.assertAllowed('text 0');
  assert.throws(() => failing.assertAllowed('text 1'), REFUSED);
});
