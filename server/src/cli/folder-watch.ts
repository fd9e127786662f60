import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SNIFF_BYTES, sniffAudio } from '../audio/sniff.ts';

/** Polling interval. Polling also works on network folders. */
const POLL_MS = 1000;

/**
 * Yields every present and future recording in the folder once its size and time are stable. A recording that is
 * rewritten is yielded again. Ends on abort.
 */
export async function* watchRecordings(folder: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const stamps = new Map<string, string>();
  const yielded = new Map<string, string>();
  while (!signal.aborted) {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const stamp = await stampOf(path);
      const isStable = stamp !== undefined && stamps.get(path) === stamp;
      if (stamp !== undefined) stamps.set(path, stamp);
      if (!isStable || yielded.get(path) === stamp) continue;
      yielded.set(path, stamp);
      if (await isRecording(path)) yield path;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Size and modification time; undefined when the path is not a file. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? `${found.size} ${found.mtimeMs}` : undefined;
}

async function isRecording(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  try {
    const { buffer, bytesRead = 0 } = (await file?.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)) ?? {};
    return buffer !== undefined && sniffAudio(buffer.subarray(0, bytesRead)) !== undefined;
  } finally {
    await file?.close();
  }
}
