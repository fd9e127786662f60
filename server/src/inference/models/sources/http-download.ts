import { open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSizeBytes } from '../files/file-digest.ts';
import {
  cancelledError,
  isDiskFull,
  isNotWritable,
  ModelStoreError,
  systemErrorCode,
} from '../files/model-store-error.ts';

/** One file to fetch over HTTP. */
export interface HttpDownload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Grows as bytes arrive. What an earlier attempt left there is continued. */
  readonly partPath: string;
  /** The size the file will have, where it is known. */
  readonly sizeBytes: number | undefined;
  readonly signal: AbortSignal;
  readonly onBytes: (fileBytes: number, totalBytes: number | undefined) => void;
  readonly timing?: Partial<DownloadTiming> | undefined;
}

/** Patience of a download. */
export interface DownloadTiming {
  /** How long nothing may arrive before the connection counts as dead. */
  readonly stallMs: number;
  /** Pause before the first retry; each further one is twice as long. */
  readonly retryPauseMs: number;
}

const DEFAULT_TIMING: DownloadTiming = { stallMs: 30_000, retryPauseMs: 500 };
/** Attempts in a row that brought no byte. A server that never answered gets fewer than one that did. */
const FRUITLESS_ATTEMPTS = { neverHeardFrom: 2, heardFrom: 5 };

class RetryableError extends Error {}

/**
 * Fetches a file into `partPath`, continuing after dropped connections and earlier attempts with `Range`
 * requests. Resolves when the transfer is complete; whether the bytes are right is for the caller to check.
 */
export async function downloadFile(download: HttpDownload): Promise<{ wasResumed: boolean }> {
  const timing = { ...DEFAULT_TIMING, ...download.timing };
  const wasResumed = ((await fileSizeBytes(download.partPath)) ?? 0) > 0;
  let fruitless = 0;
  let heardFrom = false;
  for (;;) {
    const before = (await fileSizeBytes(download.partPath)) ?? 0;
    if (download.sizeBytes !== undefined && before === download.sizeBytes) return { wasResumed };
    try {
      await attempt(download, before, timing.stallMs);
      return { wasResumed };
    } catch (error) {
      if (download.signal.aborted) throw cancelledError(`The download of ${download.url}`);
      if (!(error instanceof RetryableError)) throw error;
      const hasGrown = ((await fileSizeBytes(download.partPath)) ?? 0) > before;
      heardFrom ||= hasGrown;
      fruitless = hasGrown ? 0 : fruitless + 1;
      if (fruitless >= FRUITLESS_ATTEMPTS[heardFrom ? 'heardFrom' : 'neverHeardFrom']) {
        throw new ModelStoreError(
          'source_unreachable',
          `${download.url} could not be fetched (${error.message}).`,
          {
            cause: error.cause,
          },
        );
      }
      const pauseMs = timing.retryPauseMs * 2 ** Math.max(0, fruitless - 1);
      await sleep(pauseMs, undefined, { signal: download.signal }).catch(() => {});
    }
  }
}

async function attempt(download: HttpDownload, startByte: number, stallMs: number): Promise<void> {
  const stall = new AbortController();
  let stallTimer = setTimeout(() => stall.abort(), stallMs);
  const hearing = () => {
    clearTimeout(stallTimer);
    stallTimer = setTimeout(() => stall.abort(), stallMs);
  };
  try {
    const response = await fetch(download.url, {
      headers: {
        ...download.headers,
        'accept-encoding': 'identity',
        ...(startByte > 0 && { range: `bytes=${startByte}-` }),
      },
      signal: AbortSignal.any([download.signal, stall.signal]),
    });
    hearing();
    const fromByte = await acceptedStart(response, download.url, startByte);
    if (fromByte === undefined) {
      await rm(download.partPath, { force: true });
      throw new RetryableError('the server has a different file than the one begun');
    }
    await writeBody(response, download, fromByte, hearing);
  } catch (error) {
    if (error instanceof RetryableError || error instanceof ModelStoreError) throw error;
    if (isDiskFull(error) || isNotWritable(error)) throw error;
    const reason = stall.signal.aborted
      ? `nothing arrived for ${stallMs / 1000} s`
      : describeNetworkError(error);
    throw new RetryableError(reason, { cause: error });
  } finally {
    clearTimeout(stallTimer);
  }
}

/**
 * Where the body of this response belongs in the file: at the byte asked for, or at the beginning.
 * `undefined` when what we have is no beginning of what the server has.
 */
async function acceptedStart(
  response: Response,
  url: string,
  startByte: number,
): Promise<number | undefined> {
  if (response.status === 200) return 0;
  if (response.status === 206) {
    const fromByte = Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]);
    if (fromByte === startByte) return startByte;
  }
  await response.body?.cancel();
  if (response.status === 206 || response.status === 416) return undefined;
  if (response.status >= 500 || response.status === 429 || response.status === 408) {
    throw new RetryableError(`it answered ${response.status}`);
  }
  throw describeRefusal(response.status, url);
}

/** The failure that a status other than success means. */
export function describeRefusal(status: number, url: string): ModelStoreError {
  if (status === 404 || status === 410) return new ModelStoreError('file_missing', `${url} does not exist.`);
  const advice = status === 401 || status === 403 ? '; check the hub token' : '';
  return new ModelStoreError('source_unreachable', `${url} answered ${status}${advice}.`);
}

/** The reason inside the error that `fetch` throws, in a few words. */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = systemErrorCode(cause);
  return code ?? (cause instanceof Error ? cause.message : String(cause));
}

async function writeBody(
  response: Response,
  download: HttpDownload,
  fromByte: number,
  hearing: () => void,
): Promise<void> {
  const lengthHeader = response.headers.get('content-length');
  const totalBytes = lengthHeader === null ? download.sizeBytes : fromByte + Number(lengthHeader);
  if (download.sizeBytes !== undefined && totalBytes !== undefined && totalBytes !== download.sizeBytes) {
    await response.body?.cancel();
    throw new ModelStoreError(
      'hash_mismatch',
      `${download.url} has ${totalBytes} bytes where ${download.sizeBytes} are expected; nothing was kept.`,
    );
  }
  const handle = await open(download.partPath, fromByte === 0 ? 'w' : 'a');
  let fileBytes = fromByte;
  try {
    for await (const chunk of response.body ?? []) {
      hearing();
      await handle.writeFile(chunk);
      fileBytes += chunk.length;
      download.onBytes(fileBytes, totalBytes);
    }
  } finally {
    await handle.close();
  }
  const isCut = totalBytes !== undefined && fileBytes !== totalBytes;
  if (isCut) throw new RetryableError('the connection was cut');
}
