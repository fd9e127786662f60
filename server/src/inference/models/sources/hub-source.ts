import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HubFile, ModelFile } from '../catalogue/model.ts';
import { fileSizeBytes } from '../files/file-digest.ts';
import { createCancelledError, ModelStoreError } from '../files/model-store-error.ts';
import {
  createStatusError,
  type DownloadTiming,
  describeNetworkError,
  downloadFile,
} from './http-download.ts';
import { type FetchRequest, knownBytes, type LearnedDigest, type ModelSource } from './source.ts';

/** Access to the hub. */
export interface HubSourceOptions {
  /** The hub, or a mirror with the same paths. */
  readonly baseUrl: string;
  /** An access token, for mirrors and repositories that require one. */
  readonly token?: string | undefined;
  readonly timing?: Partial<DownloadTiming>;
}

interface HubMetadata extends LearnedDigest {
  readonly sizeBytes: number | undefined;
}

const HEAD_TIMEOUT_MS = 30_000;
const MAXIMUM_REDIRECTS = 5;

/** Model files from the Hugging Face hub, or from published releases, over plain HTTPS. Interrupted downloads are resumed. */
export function createHubSource(options: HubSourceOptions): ModelSource {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };

  function urlOf({ repository, path }: HubFile): string {
    return `${baseUrl}/${repository}/resolve/main/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** The hash that the hub reports for an unpinned file: SHA-256 for large files, else the git object id. */
  async function readMetadata(url: string, signal: AbortSignal): Promise<HubMetadata> {
    const response = await head(url, signal);
    const etag = (response.headers.get('x-linked-etag') ?? response.headers.get('etag') ?? '')
      .replace(/^W\//, '')
      .replaceAll('"', '');
    // The content length of a redirect is not that of the file.
    const length = response.status < 300 ? response.headers.get('content-length') : null;
    const size = response.headers.get('x-linked-size') ?? length;
    const sizeBytes = size === null ? undefined : Number(size);
    if (/^[0-9a-f]{64}$/.test(etag)) return { sizeBytes, sha256: etag };
    if (/^[0-9a-f]{40}$/.test(etag)) return { sizeBytes, gitBlobSha1: etag };
    throw new ModelStoreError(
      'hash_mismatch',
      `${url} has no hash, so its content cannot be verified; download it manually and use \`mynah models import\`.`,
    );
  }

  /** Follows redirects within the hub, but not to its storage, whose responses do not include the hash. */
  async function head(url: string, signal: AbortSignal): Promise<Response> {
    let target = url;
    for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
      const response = await fetch(target, {
        method: 'HEAD',
        redirect: 'manual',
        headers: { ...headers, 'accept-encoding': 'identity' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(HEAD_TIMEOUT_MS)]),
      }).catch((error: unknown) => {
        if (signal.aborted) throw createCancelledError(`The download of ${url}`);
        throw new ModelStoreError(
          'source_unreachable',
          `${url} could not be reached (${describeNetworkError(error)}).`,
        );
      });
      if (response.status >= 400) throw createStatusError(response.status, url);
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, target);
      if (
        next === undefined ||
        next.origin !== new URL(target).origin ||
        response.headers.has('x-linked-etag')
      ) {
        return response;
      }
      target = next.href;
    }
    throw new ModelStoreError('source_unreachable', `${url} exceeds ${MAXIMUM_REDIRECTS} redirects.`);
  }

  async function fetchFile(
    file: ModelFile,
    partPath: string,
    request: FetchRequest,
    onBytes: (fileBytes: number, totalBytes: number | undefined) => void,
  ): Promise<void> {
    const url = file.hub === undefined ? file.release! : urlOf(file.hub);
    const learned: HubMetadata =
      file.sha256 === undefined ? await readMetadata(url, request.signal) : { sizeBytes: file.sizeBytes };
    const { sizeBytes, ...digest } = learned;
    for (let mayRestart = true; ; mayRestart = false) {
      const { wasResumed } = await downloadFile({
        url,
        // A release is on another host, which must not receive the token of the hub.
        headers: file.hub === undefined ? {} : headers,
        partPath,
        sizeBytes,
        signal: request.signal,
        onBytes,
        timing: options.timing,
      });
      try {
        await request.deliver(file, partPath, digest);
        return;
      } catch (error) {
        // The resumed part may be damaged, for example after a power failure.
        const isMismatch = error instanceof ModelStoreError && error.code === 'hash_mismatch';
        if (!isMismatch || !wasResumed || !mayRestart) throw error;
      }
    }
  }

  return {
    kind: 'hub',
    offers: (_model, file) => file.hub !== undefined || file.release !== undefined,
    neededBytes: knownBytes,
    async fetch(request) {
      await mkdir(request.workFolder, { recursive: true });
      const isTotalKnown = request.files.every((file) => file.sizeBytes !== undefined);
      const knownTotalBytes = isTotalKnown ? knownBytes(request.files) : undefined;
      let finishedBytes = 0;
      for (const file of request.files) {
        const partPath = join(request.workFolder, `${file.name.replaceAll('/', '--')}.part`);
        let fileBytes = (await fileSizeBytes(partPath)) ?? 0;
        await fetchFile(file, partPath, request, (bytes, totalBytes) => {
          fileBytes = bytes;
          const total =
            knownTotalBytes ?? (totalBytes === undefined ? undefined : finishedBytes + totalBytes);
          request.onProgress(finishedBytes + bytes, total);
        });
        finishedBytes += fileBytes;
      }
      await rm(request.workFolder, { recursive: true, force: true });
    },
  };
}
