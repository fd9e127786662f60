import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Capacity } from '../../../domain/speech/capacity/capacity.ts';
import { selectNextStep } from './step-scheduling.ts';

/** The declared work of a stream. */
interface Plan {
  readonly arrivesAtMs: number;
  readonly windowSeconds: number;
  /** Work per window. */
  readonly windowMs: number;
  /** Work per piece before its first window. */
  readonly frontMs: number;
  readonly windowsPerPiece: number;
  readonly windows: number;
}

interface Stream {
  readonly plan: Plan;
  readonly arrival: number;
  readonly leave: () => void;
  readonly accountId: string;
  dueAtMs: number;
  stepMs: number;
  awaitsFirstAudio: boolean;
  windowsDone: number;
}

interface Outcome {
  readonly worstLatenessMs: number;
  readonly finished: number;
  readonly firstAudioMs: readonly number[];
}

const costOf = ({ windowSeconds, windowMs, frontMs, windowsPerPiece }: Plan) =>
  (frontMs / windowsPerPiece + windowMs) / 1000 / windowSeconds;

const stepOf = ({ frontMs, windowMs, windowsPerPiece }: Plan, windowsDone: number) =>
  windowMs + (windowsDone % windowsPerPiece === 0 ? frontMs : 0);

/** Simulates one worker with a virtual clock: streams arrive, are admitted by `Capacity` and scheduled step by step. */
async function simulate(plans: readonly Plan[]): Promise<Outcome> {
  const capacity = new Capacity({ workers: 1, utilisationMax: 0.85, waitMs: 3_600_000 });
  const { signal } = new AbortController();
  const pending = [...plans].sort((a, b) => a.arrivesAtMs - b.arrivesAtMs);
  const admitted = new Set<Stream>();
  const firstAudioMs: number[] = [];
  let nowMs = 0;
  let worstLatenessMs = Number.NEGATIVE_INFINITY;
  let finished = 0;
  let arrivals = 0;
  const arrive = async (plan: Plan) => {
    const engine = `engine-${plans.indexOf(plan)}`;
    // A large amount, so that the initial estimate has no weight and the declared costs apply.
    capacity.recordCost(engine, { audioSeconds: 1e6, workSeconds: 1e6 * costOf(plan) });
    const accountId = 'a';
    const load = await capacity.admit({ engine, accountId }, signal);
    const stepMs = stepOf(plan, 0);
    admitted.add({
      plan,
      accountId,
      leave: () => load.release(),
      dueAtMs: nowMs,
      stepMs,
      awaitsFirstAudio: true,
      windowsDone: 0,
      arrival: arrivals++,
    });
  };
  while (finished < plans.length) {
    while (pending.length > 0 && pending[0]!.arrivesAtMs <= nowMs) void arrive(pending.shift()!);
    await flushMicrotasks();
    const stream = selectNextStep(admitted, { nowMs, lastServed: () => -1 });
    if (stream === undefined) {
      nowMs = Math.max(nowMs, pending[0]!.arrivesAtMs);
      continue;
    }
    const { plan } = stream;
    nowMs += stream.stepMs;
    if (stream.awaitsFirstAudio) {
      firstAudioMs.push(nowMs - plan.arrivesAtMs);
      stream.dueAtMs = nowMs;
      stream.awaitsFirstAudio = false;
    } else {
      worstLatenessMs = Math.max(worstLatenessMs, nowMs - stream.dueAtMs);
    }
    stream.dueAtMs += plan.windowSeconds * 1000;
    stream.windowsDone++;
    stream.stepMs = stepOf(plan, stream.windowsDone);
    if (stream.windowsDone === plan.windows) {
      admitted.delete(stream);
      finished++;
      stream.leave();
    }
  }
  return { worstLatenessMs, finished, firstAudioMs };
}

/** Runs the pending microtasks. */
async function flushMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await undefined;
}

const plan = fc.record({
  arrivesAtMs: fc.integer({ min: 0, max: 20_000 }),
  windowSeconds: fc.double({ min: 0.3, max: 1, noNaN: true }),
  windowMs: fc.double({ min: 5, max: 80, noNaN: true }),
  frontMs: fc.double({ min: 5, max: 60, noNaN: true }),
  windowsPerPiece: fc.integer({ min: 1, max: 12 }),
  windows: fc.integer({ min: 1, max: 60 }),
});

test('with accurate costs no new stream causes an underrun, and every stream is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (plans) => {
      const { worstLatenessMs, finished } = await simulate(plans);
      assert.equal(finished, plans.length);
      assert.ok(worstLatenessMs <= 1e-6, `an underrun of ${worstLatenessMs} ms`);
    }),
    { numRuns: 300 },
  );
});

test('thirty simultaneous streams all get their first audio within 3 s, without underrun', async () => {
  const plans = Array.from({ length: 30 }, () => ({
    arrivesAtMs: 0,
    windowSeconds: 0.5,
    windowMs: 8,
    frontMs: 25,
    windowsPerPiece: 8,
    windows: 200,
  }));
  const { worstLatenessMs, firstAudioMs } = await simulate(plans);
  assert.ok(worstLatenessMs <= 0, `${worstLatenessMs}`);
  assert.ok(Math.max(...firstAudioMs) < 3000, `${Math.max(...firstAudioMs)}`);
});

test('a new stream is served while the new streams of an account with many have to wait', () => {
  const playing = Array.from({ length: 3 }, (_, arrival) => ({
    accountId: 'many',
    arrival,
    dueAtMs: 0,
    stepMs: 10,
    awaitsFirstAudio: false,
  }));
  const newStream = { stepMs: 10, dueAtMs: 0, awaitsFirstAudio: true };
  const waiting = { ...newStream, accountId: 'many', arrival: 3 };
  const served = { ...newStream, accountId: 'one', arrival: 4 };
  const select = (...streams: (typeof waiting)[]) =>
    selectNextStep([...playing, ...streams], {
      nowMs: 0,
      // Its first step is done, so that it is the turn of the other account.
      lastServed: (accountId) => ['many', 'one'].indexOf(accountId),
    });
  assert.equal(select(waiting), playing[0]);
  assert.equal(select(waiting, served), served);
});
