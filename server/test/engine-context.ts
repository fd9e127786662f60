import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config.ts';
import { EngineHost } from '../src/workers/engine-host.ts';

const ASSETS = fileURLToPath(new URL('../../assets', import.meta.url));

/** The engines of a worker, in this process, over the models that `npm test` has fetched. */
export function openEngineHost(): EngineHost {
  const { config } = loadConfig(process.env);
  return new EngineHost({ modelsRoot: config.modelsFolder, assetsRoot: ASSETS, threads: 1 });
}
