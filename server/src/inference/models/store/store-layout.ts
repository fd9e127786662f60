import { join } from 'node:path';

/**
 * Where things lie under a store's root:
 *
 *     <id>/<files>, <id>/derived/    what is installed and what was made from it
 *     <id>/mynah-model.json          the install record, written last: without it the model is not there
 *     .incoming/<id>/<source>/       downloads under way, kept for resuming
 *     .incoming/<id>.<token>.lock    one per process that installs this model or waits for its turn
 *
 * The colon of a family's id (`piper:de_DE-thorsten-medium`) becomes a folder.
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

/** Lays out a store under `root`. */
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
