import { open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSizeBytes } from '../files/file-digest.ts';
import {
  createCancelledError,
  isDiskFull,
  isNotWritable,
  ModelStoreError,
  systemErrorCode,
} from '../files/model-store-error.ts';

/** One file to download over HTTP. */
export interface HttpDownload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Grows as bytes arrive. A partial file of an earlier attempt is resumed. */
  readonly partPath: string;
  /** The expected size, if known. */
  readonly sizeBytes: number | undefined;
  readonly signal: AbortSignal;
  readonly onBytes: (fileBytes: number, totalBytes: number | undefined) => void;
  readonly timing?: Partial<DownloadTiming> | undefined;
}

/** Timeouts of a download. */
export interface DownloadTiming {
  /** Time without data after which the connection counts as dead. */
  readonly stallMs: number;
  /** Delay before the first retry; it doubles with each further one. */
  readonly retryPauseMs: number;
}

const DEFAULT_TIMING: DownloadTiming = { stallMs: 30_000, retryPauseMs: 500 };
/** Maximum number of consecutive attempts without data: before the first byte, and after it. */
const EMPTY_ATTEMPTS_MAX = { beforeData: 2, afterData: 5 };

class RetryableError extends Error {}

/**
 * Downloads a file to `partPath`, resuming after dropped connections and earlier attempts with `Range` requests.
 * Resolves when the transfer is complete; the caller verifies the content.
 */
export async function downloadFile(download: HttpDownload): Promise<{ wasResumed: boolean }> {
  const timing = { ...DEFAULT_TIMING, ...download.timing };
  const wasResumed = ((await fileSizeBytes(download.partPath)) ?? 0) > 0;
  let emptyAttempts = 0;
  let hasReceivedData = false;
  for (;;) {
    const before = (await fileSizeBytes(download.partPath)) ?? 0;
    if (download.sizeBytes !== undefined && before === download.sizeBytes) return { wasResumed };
    try {
      await attempt(download, before, timing.stallMs);
      return { wasResumed };
    } catch (error) {
      if (download.signal.aborted) throw createCancelledError(`The download of ${download.url}`);
      if (!(error instanceof RetryableError)) throw error;
      const hasGrown = ((await fileSizeBytes(download.partPath)) ?? 0) > before;
      hasReceivedData ||= hasGrown;
      emptyAttempts = hasGrown ? 0 : emptyAttempts + 1;
      if (emptyAttempts >= EMPTY_ATTEMPTS_MAX[hasReceivedData ? 'afterData' : 'beforeData']) {
        throw new ModelStoreError(
          'source_unreachable',
          `${download.url} could not be downloaded (${error.message}).`,
          {
            cause: error.cause,
          },
        );
      }
      const pauseMs = timing.retryPauseMs * 2 ** Math.max(0, emptyAttempts - 1);
      await sleep(pauseMs, undefined, { signal: download.signal }).catch(() => {});
    }
  }
}

async function attempt(download: HttpDownload, startByte: number, stallMs: number): Promise<void> {
  const stall = new AbortController();
  let stallTimer = setTimeout(() => stall.abort(), stallMs);
  const restartStallTimer = () => {
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
    restartStallTimer();
    const fromByte = await acceptedStart(response, download.url, startByte);
    if (fromByte === undefined) {
      await rm(download.partPath, { force: true });
      throw new RetryableError('the file on the server differs from the partial file');
    }
    await writeBody(response, download, fromByte, restartStallTimer);
  } catch (error) {
    if (error instanceof RetryableError || error instanceof ModelStoreError) throw error;
    if (isDiskFull(error) || isNotWritable(error)) throw error;
    const reason = stall.signal.aborted ? `no data for ${stallMs / 1000} s` : describeNetworkError(error);
    throw new RetryableError(reason, { cause: error });
  } finally {
    clearTimeout(stallTimer);
  }
}

/**
 * The position of the response body in the file: the requested byte, or 0. Undefined when the partial file does not
 * match the file on the server.
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
    throw new RetryableError(`status ${response.status}`);
  }
  throw createStatusError(response.status, url);
}

/** The error for a status other than success. */
export function createStatusError(status: number, url: string): ModelStoreError {
  if (status === 404 || status === 410) return new ModelStoreError('file_missing', `${url} does not exist.`);
  const advice = status === 401 || status === 403 ? '; check the hub token' : '';
  return new ModelStoreError('source_unreachable', `${url} returned status ${status}${advice}.`);
}

/** The cause of an error thrown by `fetch`. */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = systemErrorCode(cause);
  return code ?? (cause instanceof Error ? cause.message : String(cause));
}

async function writeBody(
  response: Response,
  download: HttpDownload,
  fromByte: number,
  onData: () => void,
): Promise<void> {
  const lengthHeader = response.headers.get('content-length');
  const totalBytes = lengthHeader === null ? download.sizeBytes : fromByte + Number(lengthHeader);
  if (download.sizeBytes !== undefined && totalBytes !== undefined && totalBytes !== download.sizeBytes) {
    await response.body?.cancel();
    throw new ModelStoreError(
      'hash_mismatch',
      `${download.url} has ${totalBytes} bytes where ${download.sizeBytes} are expected; it was not stored.`,
    );
  }
  const handle = await open(download.partPath, fromByte === 0 ? 'w' : 'a');
  let fileBytes = fromByte;
  try {
    for await (const chunk of response.body ?? []) {
      onData();
      await handle.writeFile(chunk);
      fileBytes += chunk.length;
      download.onBytes(fileBytes, totalBytes);
    }
  } finally {
    await handle.close();
  }
  const isCut = totalBytes !== undefined && fileBytes !== totalBytes;
  if (isCut) throw new RetryableError('the connection was closed early');
}
