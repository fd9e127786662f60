import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SNIFF_BYTES, sniffAudio } from '../audio/sniff.ts';

/** How often the folder is looked at. Asking works everywhere, network folders included. */
const LOOK_EVERY_MS = 1000;

/**
 * Every recording in the folder, now and as they come, each once and only when it has stopped growing. One that
 * is written anew comes again. Ends when it is aborted.
 */
export async function* watchRecordings(folder: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const stamps = new Map<string, string>();
  const told = new Map<string, string>();
  while (!signal.aborted) {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const stamp = await stampOf(path);
      const hasSettled = stamp !== undefined && stamps.get(path) === stamp;
      if (stamp !== undefined) stamps.set(path, stamp);
      if (!hasSettled || told.get(path) === stamp) continue;
      told.set(path, stamp);
      if (await isRecording(path)) yield path;
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Changes when the file does; undefined for what is no file, or gone. */
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
