import type { S3Client } from '@bradenmacdonald/s3-lite-client';
import { ApiError } from '../../errors.ts';

/** Where files are stored, and the credentials. */
export interface S3Location {
  readonly bucket: string;
  /** `https://` or `http://`, with the port. */
  readonly endpoint: string;
  readonly region: string;
  /** Prepended to every object name; empty or ending with a slash. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface S3Limits {
  /** Deadline of one request. */
  readonly requestMs: number;
  /** Attempts of one request. */
  readonly attemptsMax: number;
  /** Wait before the second attempt; doubles with each further one. */
  readonly retryMs: number;
  /** Size of a part of a multipart upload; at least 5 MiB. */
  readonly partBytes: number;
  /** Maximum number of objects that one listing returns. */
  readonly listMax: number;
}

export interface S3ObjectInfo {
  readonly name: string;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

const LIMITS: S3Limits = {
  requestMs: 30_000,
  attemptsMax: 4,
  retryMs: 200,
  partBytes: 8 * 2 ** 20,
  listMax: 100_000,
};
const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Objects in a bucket of an S3-compatible server. Every request has a deadline and a bounded number of attempts. */
export class S3Bucket {
  readonly #location: S3Location;
  readonly #limits: S3Limits;
  #client: Promise<S3Client> | undefined;

  constructor(location: S3Location, limits: Partial<S3Limits> = {}) {
    this.#location = location;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Throws `storage_unavailable` when the bucket cannot be listed. */
  async check(): Promise<void> {
    await this.#request((client) => client.listObjects({ prefix: this.#key(''), maxResults: 1 }).next());
  }

  /** Writes an object. It becomes visible when it is complete. */
  async put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    if (content instanceof Uint8Array && content.length <= this.#limits.partBytes) {
      await this.#putPart(name, content);
      return;
    }
    const parts = inParts(content instanceof Uint8Array ? [content] : content, this.#limits.partBytes);
    const first = await parts.next();
    if (first.done || first.value.length < this.#limits.partBytes) {
      await this.#putPart(name, first.value ?? new Uint8Array());
      return;
    }
    await this.#putParts(name, first.value, parts);
  }

  /** Undefined for an unknown name. */
  async find(name: string): Promise<S3ObjectInfo | undefined> {
    const found = await this.#request((client) => client.statObject(this.#key(name)), NOT_FOUND);
    return found && { name, etag: found.etag, modifiedAtMs: found.lastModified.getTime() };
  }

  /** The content as it arrives. Undefined for an unknown name. */
  async get(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const response = await this.#request((client) => client.getObject(this.#key(name)), NOT_FOUND);
    if (response === undefined) return undefined;
    return withDeadline(response, this.#limits.requestMs);
  }

  /** Removes an object, if it exists. */
  async remove(name: string): Promise<void> {
    await this.#request((client) => client.deleteObject(this.#key(name)), NOT_FOUND);
  }

  /** The objects whose names start with `prefix`, at most `listMax`. */
  async list(prefix: string): Promise<readonly S3ObjectInfo[]> {
    const start = this.#location.prefix.length;
    return (await this.#request(async (client) => {
      const found: S3ObjectInfo[] = [];
      const objects = client.listObjects({ prefix: this.#key(prefix), maxResults: this.#limits.listMax });
      for await (const { key, etag, lastModified } of objects)
        found.push({ name: key.slice(start), etag, modifiedAtMs: lastModified.getTime() });
      return found;
    })) as readonly S3ObjectInfo[];
  }

  /** The names of all objects that start with `prefix`. A page that fails is not repeated. */
  async *listAll(prefix: string): AsyncGenerator<string> {
    const client = await this.#open();
    const objects = client.listObjects({ prefix: this.#key(prefix) });
    for (;;) {
      const { done, value } = await beforeDeadline(objects.next(), this.#limits.requestMs).catch(
        (error: unknown) => {
          throw createStorageUnavailableError(error);
        },
      );
      if (done) return;
      yield value.key.slice(this.#location.prefix.length);
    }
  }

  async #putPart(name: string, payload: Uint8Array, query: Record<string, string> = {}): Promise<string> {
    const response = await this.#request((client) =>
      client.makeRequest({
        method: 'PUT',
        objectName: this.#key(name),
        query,
        payload: payload as Uint8Array<ArrayBuffer>,
      }),
    );
    return response?.headers.get('etag')?.replaceAll('"', '') ?? '';
  }

  /** A multipart upload. The parts are removed when it fails. */
  async #putParts(name: string, first: Uint8Array, others: AsyncIterable<Uint8Array>): Promise<void> {
    const objectName = this.#key(name);
    const uploadId = await this.#beginParts(objectName);
    try {
      const etags = [await this.#putPart(name, first, { partNumber: '1', uploadId })];
      for await (const part of others) {
        const partNumber = String(etags.length + 1);
        etags.push(await this.#putPart(name, part, { partNumber, uploadId }));
      }
      const list = etags.map(
        (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
      );
      const payload = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
      const result = await this.#request(async (client) => {
        const query = { uploadId };
        const options = { method: 'POST', objectName, query, payload, returnBody: true };
        return (await client.makeRequest(options)).text();
      });
      // The status is sent before the parts are joined: an error may follow in the body.
      if (!result?.includes('CompleteMultipartUploadResult'))
        throw createStorageUnavailableError(new Error('The multipart upload was not completed.'));
    } catch (error) {
      const query = { uploadId };
      await this.#request(
        (client) => client.makeRequest({ method: 'DELETE', objectName, query, statusCode: 204 }),
        NOT_FOUND,
      ).catch(() => {});
      throw error;
    }
  }

  async #beginParts(objectName: string): Promise<string> {
    const answer = await this.#request(async (client) => {
      const options = { method: 'POST', objectName, query: 'uploads', returnBody: true };
      return (await client.makeRequest(options)).text();
    });
    const id = /<UploadId>([^<]{1,1024})<\/UploadId>/.exec(answer ?? '')?.[1];
    if (id === undefined) throw createStorageUnavailableError(new Error('The server returned no upload id.'));
    return id;
  }

  /** Runs a request with retries. Undefined when the server answers with the status `undefinedFor`. */
  async #request<Result>(
    work: (client: S3Client) => Promise<Result>,
    undefinedFor?: number,
  ): Promise<Result | undefined> {
    const { attemptsMax, requestMs, retryMs } = this.#limits;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await beforeDeadline(work(await this.#open()), requestMs);
      } catch (error) {
        const status = statusOf(error);
        if (status !== undefined && status === undefinedFor) return undefined;
        const isTemporary = status === undefined || status >= SERVER_ERROR || status === TOO_MANY_REQUESTS;
        if (!isTemporary || attempt >= attemptsMax) throw createStorageUnavailableError(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** (attempt - 1)));
      }
    }
  }

  /** The client is loaded with the first request, so that servers without S3 do not load it. */
  #open(): Promise<S3Client> {
    const { bucket, endpoint, region, accessKey, secretKey } = this.#location;
    this.#client ??= import('@bradenmacdonald/s3-lite-client').then(
      ({ S3Client }) => new S3Client({ endPoint: endpoint, region, bucket, accessKey, secretKey }),
    );
    return this.#client;
  }

  #key(name: string): string {
    return this.#location.prefix + name;
  }
}

function createStorageUnavailableError(cause: unknown): ApiError {
  return new ApiError('storage_unavailable', 'The file storage is unavailable.', {
    cause,
    retryAfterSeconds: 5,
  });
}

/** The HTTP status of an error of the server. Undefined for a lost connection and a passed deadline. */
function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}

async function beforeDeadline<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a response. Throws when no bytes arrive for `ms`. */
async function* withDeadline(response: Response, ms: number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await beforeDeadline(reader.read(), ms).catch((error: unknown) => {
        throw createStorageUnavailableError(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Joins and divides chunks into parts of `partBytes`; the last one may be shorter. */
async function* inParts(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + partBytes - size);
      waiting.push(piece);
      size += piece.length;
      at += piece.length;
      if (size < partBytes) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}
