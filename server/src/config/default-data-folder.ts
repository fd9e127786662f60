import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from './package-info.ts';

/** Description of the rule for the settings reference. */
export const DEFAULT_DATA_FOLDER_RULE =
  'data in the clone; for an installed package $XDG_DATA_HOME/mynah, or ~/.local/share/mynah; ./data where it holds a database';

/**
 * The data folder of this installation. The same for every working directory, so that the command line finds the
 * database of the server; a folder `data` with a database in the working directory comes first.
 */
export function defaultDataFolder(
  env: Readonly<Record<string, string | undefined>>,
  { workingDirectory = process.cwd(), packageRoot = fileURLToPath(PACKAGE_ROOT) } = {},
): string {
  const local = resolve(workingDirectory, 'data');
  if (existsSync(join(local, 'mynah.db'))) return local;
  const repository = resolve(packageRoot, '..');
  // Present in a clone, absent from the published package.
  if (existsSync(join(repository, 'scripts/start.mjs'))) return join(repository, 'data');
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local/share'), 'mynah');
}
