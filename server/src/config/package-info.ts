import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the server package. Searched upwards, because the depth differs between `src/` and `dist/`. */
export const PACKAGE_ROOT = findPackageRoot(new URL('.', import.meta.url));

/** Folder of files that ship with the server, such as weights trained by this project. */
export const ASSETS_FOLDER = fileURLToPath(new URL('assets', PACKAGE_ROOT));

/** Version of the server, from `package.json`. */
export const VERSION = readVersion();

function findPackageRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('..', folder);
  if (parent.href === folder.href) throw new Error('No package.json found above this module.');
  return findPackageRoot(parent);
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'));
  return String(version);
}
