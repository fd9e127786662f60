import { existsSync } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Files of a running process in a data folder, which stay where they are. */
const LOCK_FILES = /^(server\.(lock|pid)|\.restore-|replaced-|backups$|lost\+found$)/;
/** The file that makes a data folder usable. */
const DATABASE = 'mynah.db';

/**
 * Gives the content of a folder to a data folder. A data folder that does not exist appears by one rename. In one that
 * exists, which may be a mount point, the earlier content is moved into a subfolder first, and the new database arrives last;
 * a failure puts everything back. Returns the subfolder, if there was earlier content.
 */
export async function placeFolder(content: string, folder: string): Promise<string | undefined> {
  if (!existsSync(folder)) {
    await rename(content, folder);
    return undefined;
  }
  const earlier = (await readdir(folder)).filter((name) => !LOCK_FILES.test(name));
  const aside = join(folder, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  if (earlier.length > 0) {
    await mkdir(aside, { mode: 0o700 });
    await moveEntries(folder, aside, sortDatabaseLast(earlier).reverse());
  }
  try {
    await moveEntries(content, folder);
  } catch (error) {
    if (earlier.length > 0) await moveEntries(aside, folder);
    throw error;
  }
  return earlier.length > 0 ? aside : undefined;
}

/**
 * Moves entries into another folder of the same disk, in this order; by default all, the database last. A failure moves
 * back what was moved.
 */
export async function moveEntries(from: string, to: string, names?: readonly string[]): Promise<void> {
  const moved: string[] = [];
  try {
    for (const name of names ?? sortDatabaseLast(await readdir(from))) {
      await rename(join(from, name), join(to, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved.reverse()) await rename(join(to, name), join(from, name));
    throw error;
  }
}

function sortDatabaseLast(names: readonly string[]): string[] {
  return names.toSorted(
    (a, b) => Number(basename(a).startsWith(DATABASE)) - Number(basename(b).startsWith(DATABASE)),
  );
}
