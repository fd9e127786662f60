import { join } from 'node:path';

/**
 * The layout of a store under its root:
 *
 *     <id>/<files>, <id>/derived/    installed files and derived artefacts
 *     <id>/mynah-model.json          the install record, written last: without it the model is not installed
 *     .incoming/<id>/<source>/       partial downloads, which can be resumed
 *     .incoming/<id>.<token>.lock    one per process that installs this model or waits for the lock
 *
 * An id with a colon (`piper:de_DE-thorsten-medium`) becomes a nested folder.
 */
export interface StoreLayout {
  readonly root: string;
  modelFolder(id: string): string;
  recordPath(id: string): string;
  derivedFolder(id: string): string;
  incomingFolder(id: string): string;
  readonly lockFolder: string;
  lockName(id: string): string;
}

/** Creates the layout of a store under `root`. */
export function createStoreLayout(root: string): StoreLayout {
  const lockFolder = join(root, '.incoming');
  const flatName = (id: string) => id.replace(':', '--');
  const modelFolder = (id: string) => join(root, ...id.split(':'));
  return {
    root,
    modelFolder,
    recordPath: (id) => join(modelFolder(id), 'mynah-model.json'),
    derivedFolder: (id) => join(modelFolder(id), 'derived'),
    incomingFolder: (id) => join(lockFolder, flatName(id)),
    lockFolder,
    lockName: flatName,
  };
}
