import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config.ts';
import { EngineHost } from '../src/workers/engine-host.ts';
import { HearingHost } from '../src/workers/hearing-host.ts';
import type { WorkerSettings } from '../src/workers/messages.ts';

/** Files that ship with the server. */
export const ASSETS = fileURLToPath(new URL('../../assets', import.meta.url));

/** The engines of a worker, in this process, over the models that `npm test` has fetched. */
export function openEngineHost(): EngineHost {
  return new EngineHost(workerSettings());
}

/** The engines of a worker that hears, in this process. */
export function openHearingHost(): HearingHost {
  return new HearingHost(workerSettings());
}

function workerSettings(): WorkerSettings {
  const { config } = loadConfig(process.env);
  return { modelsRoot: config.modelsFolder, assetsRoot: ASSETS, threads: 1 };
}
