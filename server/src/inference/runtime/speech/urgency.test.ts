import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Capacity } from '../../../domain/speech/capacity.ts';
import { mostUrgent } from './urgency.ts';

/** A stream as it is declared: what a second of its audio costs, and how its work is cut. */
interface Plan {
  readonly arrivesAtMs: number;
  readonly windowSeconds: number;
  /** Work for each window. */
  readonly windowMs: number;
  /** Work for each piece before its first window. */
  readonly frontMs: number;
  readonly windowsPerPiece: number;
  readonly windows: number;
}

interface Stream {
  readonly plan: Plan;
  readonly arrival: number;
  readonly leave: () => void;
  dueAtMs: number;
  stepMs: number;
  isNew: boolean;
  made: number;
}

interface Outcome {
  readonly worstLatenessMs: number;
  readonly finished: number;
  readonly firstAudioMs: readonly number[];
}

const costOf = ({ windowSeconds, windowMs, frontMs, windowsPerPiece }: Plan) =>
  (frontMs / windowsPerPiece + windowMs) / 1000 / windowSeconds;

const stepOf = ({ frontMs, windowMs, windowsPerPiece }: Plan, made: number) =>
  windowMs + (made % windowsPerPiece === 0 ? frontMs : 0);

/** One worker with a clock of its own: streams come, are let in by the capacity, and take turns by urgency. */
async function simulate(plans: readonly Plan[]): Promise<Outcome> {
  const capacity = new Capacity({ workers: 1, loadMax: 0.85, waitMs: 3_600_000 });
  const { signal } = new AbortController();
  const coming = [...plans].sort((a, b) => a.arrivesAtMs - b.arrivesAtMs);
  const inside = new Set<Stream>();
  const firstAudioMs: number[] = [];
  let nowMs = 0;
  let worstLatenessMs = Number.NEGATIVE_INFINITY;
  let finished = 0;
  let arrivals = 0;
  const arrive = async (plan: Plan) => {
    const engine = `engine-${plans.indexOf(plan)}`;
    // So much that the first guess is forgotten: the declared costs hold.
    capacity.note(engine, { audioSeconds: 1e6, workSeconds: 1e6 * costOf(plan) });
    const leave = await capacity.enter(engine, signal);
    const stepMs = stepOf(plan, 0);
    inside.add({ plan, leave, dueAtMs: nowMs, stepMs, isNew: true, made: 0, arrival: arrivals++ });
  };
  while (finished < plans.length) {
    while (coming.length > 0 && coming[0]!.arrivesAtMs <= nowMs) void arrive(coming.shift()!);
    await settled();
    const stream = mostUrgent(inside, nowMs);
    if (stream === undefined) {
      nowMs = Math.max(nowMs, coming[0]!.arrivesAtMs);
      continue;
    }
    const { plan } = stream;
    nowMs += stream.stepMs;
    if (stream.isNew) {
      firstAudioMs.push(nowMs - plan.arrivesAtMs);
      stream.dueAtMs = nowMs;
      stream.isNew = false;
    } else {
      worstLatenessMs = Math.max(worstLatenessMs, nowMs - stream.dueAtMs);
    }
    stream.dueAtMs += plan.windowSeconds * 1000;
    stream.made++;
    stream.stepMs = stepOf(plan, stream.made);
    if (stream.made === plan.windows) {
      inside.delete(stream);
      finished++;
      stream.leave();
    }
  }
  return { worstLatenessMs, finished, firstAudioMs };
}

/** Lets everything happen that waits for nothing but its turn. */
async function settled(): Promise<void> {
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

test('when the declared costs hold, no newcomer makes a listener run dry, and everybody is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (plans) => {
      const { worstLatenessMs, finished } = await simulate(plans);
      assert.equal(finished, plans.length);
      assert.ok(worstLatenessMs <= 1e-6, `a listener waited ${worstLatenessMs} ms`);
    }),
    { numRuns: 300 },
  );
});

test('thirty listeners at once all hear their first sound soon, and none runs dry', async () => {
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
