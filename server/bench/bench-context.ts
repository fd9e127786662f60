import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelStore } from '../src/inference/models/store/model-store.ts';
import type { Effort } from './effort.ts';
import { BareEngine, type BareEngineSettings } from './processes/bare-engine.ts';
import type { Children } from './processes/children.ts';
import type { ServerProcess } from './processes/server-process.ts';
import type { CountWordErrors } from './word-errors.ts';

/** Shared by all parts. */
export interface BenchContext {
  readonly server: ServerProcess;
  readonly effort: Effort;
  readonly children: Children;
  readonly store: ModelStore;
  /** Settings of the server's workers. */
  readonly engineSettings: BareEngineSettings;
  /** Folder for downloads of the benchmark. */
  readonly cacheFolder: string;
  /** Folder of recordings with transcripts. */
  readonly recordings: string | undefined;
  readonly countWordErrors: CountWordErrors;
  /** Duration of the long recording. */
  readonly minutes: number;
}

/** Time for work after a response, such as closing the connection. */
const SETTLE_MS = 60;

/** CPU seconds of all processes of the server during `work`. */
export async function serverCpuSeconds(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpuSeconds();
  await work();
  await sleep(SETTLE_MS);
  return server.cpuSeconds() - before;
}

/** Runs `work` with an engine in a separate process. */
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
