import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.ts';
import { ASSETS_FOLDER } from '../../config/package-info.ts';
import { allocateCores, type CoreAllocation } from '../../inference/runtime/machine/core-allocation.ts';
import type { WorkerSettings } from '../../inference/runtime/process/messages.ts';

/** More workers only take memory: two cores already serve dozens of streams. */
const AUTOMATIC_WORKERS_MAX = 4;

/** The number of speech worker processes on this machine, and the settings of each. */
export function speechWorkerSettings(config: Config): {
  readonly workers: number;
  readonly settings: WorkerSettings;
} {
  const { workers, threads } = chooseCores(config);
  return {
    workers,
    settings: {
      modelsRoot: config.modelsFolder,
      assetsRoot: ASSETS_FOLDER,
      piperFolder: config.piperVoicesFolder,
      threads,
    },
  };
}

/** Workers and threads from the settings. A value of 0 is derived from the other, or from the cores when both are 0. */
function chooseCores({ workers, threads }: Config): CoreAllocation {
  const cores = availableParallelism();
  if (workers > 0) return { workers, threads: threads || Math.max(1, Math.floor(cores / workers)) };
  if (threads > 0) return { workers: Math.min(cores, AUTOMATIC_WORKERS_MAX), threads };
  return allocateCores(cores, AUTOMATIC_WORKERS_MAX);
}
