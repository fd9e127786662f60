import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelStore } from '../src/inference/models/store/model-store.ts';
import { BareEngine, type BareEngineSettings } from './bare-engine.ts';
import type { Children } from './children.ts';
import type { Effort } from './effort.ts';
import type { ServerProcess } from './server-process.ts';
import type { CountWordErrors } from './word-errors.ts';

/** What every part works with. */
export interface BenchContext {
  readonly server: ServerProcess;
  readonly effort: Effort;
  readonly children: Children;
  readonly store: ModelStore;
  /** As the server's workers have it. */
  readonly engineSettings: BareEngineSettings;
  /** Where downloads of the benchmark are kept. */
  readonly cacheFolder: string;
  /** A folder of recordings to hear, with their transcripts. */
  readonly recordings: string | undefined;
  readonly countWordErrors: CountWordErrors;
  /** How long a long recording is. */
  readonly minutes: number;
}

/** Time for the server to finish what follows a request, such as closing its connection. */
const SETTLE_MS = 60;

/** CPU seconds of all the server's processes while something is done. */
export async function serverCpuSeconds(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpuSeconds();
  await work();
  await sleep(SETTLE_MS);
  return server.cpuSeconds() - before;
}

/** Runs something with an engine alone in its own process. */
export async function withBareEngine<Result>(
  { children, engineSettings }: BenchContext,
  engine: string,
  work: (bare: BareEngine) => Promise<Result>,
): Promise<Result> {
  const bare = await BareEngine.start(engine, engineSettings, children);
  try {
    return await work(bare);
  } finally {
    await bare.stop();
  }
}
