import { SAMPLE_RATE_HZ } from './pcm-player.ts';
import { Take, type TakeInfo, type TimedWord } from './take.ts';
import { toPcm16 } from './wav.ts';

interface StoredTake {
  readonly info: TakeInfo;
  readonly words: readonly TimedWord[];
  readonly pcm: Int16Array;
}

const NAME = 'mynah-console';
const STORE = 'takes';
const TAKES_MAX = 40;
const SECONDS_MAX = 600;

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'info.id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function withStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const request = work(db.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    db.close();
  }
}

/** Stores a finished take in this browser. The oldest are removed above the limit. */
export async function storeTake(take: Take): Promise<void> {
  if (take.player.durationSeconds > SECONDS_MAX || take.player.durationSeconds === 0) return;
  const stored: StoredTake = { info: take.info, words: take.words, pcm: toPcm16(take.player.samples()) };
  await withStore('readwrite', (store) => store.put(stored));
  const all = await listTakes();
  for (const { id } of all.slice(TAKES_MAX)) await deleteTake(id);
}

/** Stored takes, newest first, without their audio. */
export async function listTakes(): Promise<readonly TakeInfo[]> {
  const all = await withStore('readonly', (store) => store.getAll() as IDBRequest<StoredTake[]>);
  return all.map(({ info }) => info).sort((a, b) => b.createdAtMs - a.createdAtMs);
}

export async function loadTake(id: string): Promise<Take | undefined> {
  const stored = await readTake(id);
  if (stored === undefined) return undefined;
  const take = new Take({ ...stored.info, durationSeconds: stored.pcm.length / SAMPLE_RATE_HZ });
  take.restore(
    Float32Array.from(stored.pcm, (value) => value / 32_768),
    stored.words,
  );
  return take;
}

/** Deletes a take. The result stores it again. */
export async function removeTake(id: string): Promise<() => Promise<void>> {
  const stored = await readTake(id);
  await deleteTake(id);
  return async () => {
    if (stored !== undefined) await withStore('readwrite', (store) => store.put(stored));
  };
}

async function deleteTake(id: string): Promise<void> {
  await withStore('readwrite', (store) => store.delete(id));
}

function readTake(id: string): Promise<StoredTake | undefined> {
  return withStore('readonly', (store) => store.get(id) as IDBRequest<StoredTake | undefined>);
}
