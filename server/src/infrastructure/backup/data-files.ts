import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of the database and the lock, copies of files in a bucket, earlier backups, and what restorations have replaced or left. */
const LEFT_OUT =
  /^(mynah\.db(-wal|-shm|-journal)?|server\.(lock|pid)(-wal|-shm|-journal)?|cache|backups|\.restore-.*|replaced-.*)$/;
/** Uploads of requests in progress. Stored uploads of transcription jobs are in `uploads/kept`. */
const UNFINISHED_UPLOAD = /^process\./;
/** A file that its writer has not renamed yet. */
const UNFINISHED_FILE = /\.(partial|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Paths of the files of a data folder that belong into a backup, relative to it. Links are not followed. */
export async function* listDataFiles(folder: string, below = ''): AsyncGenerator<string> {
  for (const entry of await readFolder(join(folder, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (below === '' && LEFT_OUT.test(entry.name)) continue;
    if (below === 'uploads' && UNFINISHED_UPLOAD.test(entry.name)) continue;
    if (entry.isDirectory()) yield* listDataFiles(folder, path);
    else if (entry.isFile() && !UNFINISHED_FILE.test(entry.name)) yield path;
  }
}

/** A folder may be removed while the server runs. */
async function readFolder(path: string) {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
