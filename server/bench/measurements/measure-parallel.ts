import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import { atLeast, atMost, ms, type PartReport } from '../report.ts';
import { largestDisplacement } from '../statistics.ts';
import { sentenceFor } from '../texts.ts';

const REQUESTS = 20;
/** Delay that fixes the order of the requests. */
const GAP_MS = 5;
/** Sentences differ in length and are distributed over workers, so neighbours may be swapped. */
const DISPLACEMENT_MAX = 4;

/** Whether concurrent requests are all served, in order of arrival. */
export async function measureParallel({ server }: BenchContext): Promise<PartReport> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: REQUESTS }, async (_, index) => {
      await sleep(index * GAP_MS);
      const { startedAtMs, audibleAtMs } = await streamSpeech(server, sentenceFor(index));
      return { index, audibleAtMs, waitMs: audibleAtMs - startedAtMs };
    }),
  );
  const completed = outcomes
    .filter((outcome) => outcome.status === 'fulfilled')
    .map(({ value }) => value)
    .sort((a, b) => a.audibleAtMs - b.audibleAtMs);
  const displacement = largestDisplacement(completed.map(({ index }) => index));
  const longestWaitMs = Math.max(...completed.map(({ waitMs }) => waitMs));
  return {
    rows: [
      {
        what: `${REQUESTS} concurrent requests: completed`,
        value: String(completed.length),
        target: atLeast(completed.length, REQUESTS),
      },
      {
        what: `${REQUESTS} concurrent requests: largest displacement`,
        value: String(displacement),
        target: atMost(displacement, DISPLACEMENT_MAX),
      },
      { what: `${REQUESTS} concurrent requests: slowest first audio`, value: ms(longestWaitMs) },
    ],
    data: { completed, displacement },
  };
}
