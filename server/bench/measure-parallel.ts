import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench-context.ts';
import { listen } from './listener.ts';
import { atLeast, atMost, ms, type PartReport } from './report.ts';
import { largestDisplacement } from './statistics.ts';
import { sentenceFor } from './texts.ts';

const REQUESTS = 20;
/** Enough to make the order in which they were sent certain. */
const GAP_MS = 5;
/** Sentences differ in length and are spoken by several workers, so neighbours may change places. */
const DISPLACEMENT_MAX = 4;

/** Whether many requests at once are all answered, the first to come being the first to be served. */
export async function measureParallel({ server }: BenchContext): Promise<PartReport> {
  const answers = await Promise.allSettled(
    Array.from({ length: REQUESTS }, async (_, index) => {
      await sleep(index * GAP_MS);
      const { startedAtMs, audibleAtMs } = await listen(server, sentenceFor(index));
      return { index, audibleAtMs, waitMs: audibleAtMs - startedAtMs };
    }),
  );
  const heard = answers
    .filter((answer) => answer.status === 'fulfilled')
    .map(({ value }) => value)
    .sort((a, b) => a.audibleAtMs - b.audibleAtMs);
  const displacement = largestDisplacement(heard.map(({ index }) => index));
  const longestWaitMs = Math.max(...heard.map(({ waitMs }) => waitMs));
  return {
    rows: [
      {
        what: `${REQUESTS} requests at once: complete`,
        value: String(heard.length),
        target: atLeast(heard.length, REQUESTS),
      },
      {
        what: `${REQUESTS} requests at once: places out of order`,
        value: String(displacement),
        target: atMost(displacement, DISPLACEMENT_MAX),
      },
      { what: `${REQUESTS} requests at once: slowest first audio`, value: ms(longestWaitMs) },
    ],
    data: { heard, displacement },
  };
}
