import type { CloningEvent, CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import type { KindPresence } from '../protocol/messages.ts';
import type { TaskRunner } from '../remote/dispatch-server.ts';
import { decodeCloningJob, encodeCloningEvent } from './cloning-payloads.ts';

/** What serves cloning jobs of remote gateways. */
export interface LocalCloning {
  run(job: CloningJob, options: { readonly signal: AbortSignal }): AsyncIterable<CloningEvent>;
  presence(): Pick<KindPresence, 'processes' | 'engines'>;
}

/** A refinement may search for minutes; a worker that sends nothing is considered hung. */
const WORKING_EVERY_MS = 10_000;

/** Serves the local worker processes of cloning to gateways. */
export function cloningRunner(
  local: LocalCloning,
  { slots, workingEveryMs = WORKING_EVERY_MS }: { readonly slots: number; readonly workingEveryMs?: number },
): TaskRunner {
  return {
    slots,
    presence: () => local.presence(),
    async *run(bytes, { signal }) {
      const events = local.run(decodeCloningJob(bytes), { signal })[Symbol.asyncIterator]();
      try {
        let next = events.next();
        for (;;) {
          const result = await orTimeout(next, workingEveryMs);
          if (result === undefined) {
            yield* encodeCloningEvent({ kind: 'working' });
            continue;
          }
          if (result.done === true) return;
          if (result.value.kind === 'voice') yield* encodeCloningEvent(result.value);
          next = events.next();
        }
      } finally {
        await events.return?.();
      }
    },
  };
}

/** The value of the promise, or undefined after this time. */
async function orTimeout<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
