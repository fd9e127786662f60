import { ConnectionError, errorOf, MynahError, TimeoutError } from '../errors.ts';
import type { CallOptions } from '../types/index.ts';

/** Options of a client. */
export interface ClientOptions {
  /**
   * Defaults to the environment variables `MYNAH_API_KEY` and `FISH_API_KEY`. Null sends no key, for pages of the
   * server itself, which have a session cookie.
   */
  readonly apiKey?: string | null | undefined;
  /** Defaults to the environment variable `MYNAH_BASE_URL`, then to `http://127.0.0.1:8080`. */
  readonly baseUrl?: string | undefined;
  /** Maximum wait for a response to begin and for each further chunk; for live sessions, to connect. Default: 240 s. */
  readonly timeoutMs?: number | undefined;
  /** Retries after 408, 429, 5xx and broken connections. Default: 2. */
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces `fetch`, for tests and proxies. */
  readonly fetch?: typeof fetch | undefined;
}

/** One request. The body must be re-readable, because a retry sends it again. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | FormData | undefined;
  /** Sent as JSON instead of `body`. */
  readonly json?: object | undefined;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';
const DEFAULT_TIMEOUT_MS = 240_000;
const DEFAULT_RETRIES = 2;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** Sends requests, retries where that is safe, and converts failures to the errors of this library. */
export class Transport {
  readonly baseUrl: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.baseUrl = (options.baseUrl || environment('MYNAH_BASE_URL') || DEFAULT_BASE_URL).replace(/\/+$/, '');
  }

  /** The API key; undefined for a client without one. Throws when it is missing. */
  get apiKey(): string | undefined {
    if (this.#options.apiKey === null) return undefined;
    const key = this.#options.apiKey || environment('MYNAH_API_KEY') || environment('FISH_API_KEY');
    if (!key)
      throw new MynahError('No API key: pass `apiKey`, or set the environment variable MYNAH_API_KEY.');
    return key;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Headers for every request, sockets included. */
  headers(extra: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
    const { apiKey } = this;
    const authorization = apiKey === undefined ? undefined : `Bearer ${apiKey}`;
    const all = { authorization, ...this.#options.headers, ...extra };
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  /** Resolves when a successful response begins; rejects with an `ApiError` for any other status. */
  async send(call: Call, options: CallOptions = {}): Promise<ServerResponse> {
    const retriesMax = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    const headers = this.headers({
      // The same in every attempt, so that the server can distinguish a retry from a second request.
      ...(call.method === 'POST' && { 'idempotency-key': randomUuid() }),
      ...(call.json && { 'content-type': 'application/json' }),
      ...call.headers,
      ...options.headers,
    });
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retriesMax;
      let waitMs = backoffMs(attempt);
      try {
        const response = await this.#attempt(call, headers, options);
        if (response.isOk) return response;
        if (isLast || !isRetryable(response.status)) throw await response.error();
        waitMs = response.retryAfterMs ?? waitMs;
        response.cancel();
      } catch (error) {
        if (isLast || !(error instanceof ConnectionError)) throw error;
      }
      await pause(Math.min(waitMs, BACKOFF_MAX_MS), options.signal);
    }
  }

  /** The JSON body of a successful response; undefined when it is empty. */
  async json<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await this.send(call, options)).json<T>();
  }

  async #attempt(call: Call, headers: Record<string, string>, options: CallOptions): Promise<ServerResponse> {
    const deadline = new Deadline(options.timeoutMs ?? this.timeoutMs, options.signal);
    const send = this.#options.fetch ?? fetch;
    try {
      const response = await deadline.guard(
        send(this.baseUrl + call.path + toQuery(call.query), {
          method: call.method,
          headers,
          body: (call.json ? JSON.stringify(call.json) : (call.body ?? null)) as BodyInit | null,
          signal: deadline.signal,
        }),
      );
      return new ServerResponse(response, deadline);
    } catch (error) {
      deadline.end();
      throw error;
    }
  }
}

/** A response that has begun. It must be read to its end or cancelled. */
export class ServerResponse {
  readonly #response: Response;
  readonly #deadline: Deadline;

  constructor(response: Response, deadline: Deadline) {
    this.#response = response;
    this.#deadline = deadline;
  }

  get isOk(): boolean {
    return this.#response.ok;
  }

  get status(): number {
    return this.#response.status;
  }

  get headers(): Headers {
    return this.#response.headers;
  }

  get retryAfterMs(): number | undefined {
    const seconds = Number(this.headers.get('retry-after') ?? Number.NaN);
    return seconds >= 0 ? seconds * 1000 : undefined;
  }

  /** The body as JSON; undefined when it is empty. */
  async json<T>(): Promise<T> {
    const text = await this.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async text(): Promise<string> {
    try {
      return await this.#deadline.guard(this.#response.text());
    } finally {
      this.#deadline.end();
    }
  }

  /** The body as a stream. Leaving the loop early closes the connection, which stops the server. */
  async *bytes(): AsyncGenerator<Uint8Array, void> {
    const reader = this.#response.body?.getReader();
    try {
      while (reader !== undefined) {
        const { done, value } = await this.#deadline.guard(reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      this.cancel();
    }
  }

  /** Reads the body of an error response. */
  async error(): Promise<MynahError> {
    const text = await this.text().catch(() => '');
    return errorOf({ status: this.status, text, header: (name) => this.headers.get(name) });
  }

  cancel(): void {
    this.#deadline.abort();
  }
}

/** Applies the caller's signal and the timeout to the steps of one request. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onOuterAbort = () => this.#controller.abort(this.#outer?.reason);
  #hasTimedOut = false;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    if (outer?.aborted) this.#onOuterAbort();
    outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for one step, and converts its failure to an error of this library. */
  async guard<T>(step: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#hasTimedOut = true;
      this.#controller.abort();
    }, this.#timeoutMs);
    try {
      return await step;
    } catch (error) {
      if (this.#outer?.aborted) throw this.#outer.reason;
      if (this.#hasTimedOut) throw new TimeoutError(`The server sent nothing for ${this.#timeoutMs} ms.`);
      throw new ConnectionError(`The connection to the server failed: ${causeOf(error)}.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  abort(): void {
    this.end();
    this.#controller.abort();
  }

  end(): void {
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
  }
}

/** An environment variable; undefined in browsers. */
function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env?.[name];
}

/** A random UUID. `crypto.randomUUID` exists only on pages loaded over HTTPS or from localhost. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Exponential backoff with jitter. */
function backoffMs(attempt: number): number {
  return BACKOFF_FIRST_MS * 2 ** attempt * (0.5 + Math.random());
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function toQuery(query: Call['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined)
      .map((item) => [name, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** The message of `fetch` is only "fetch failed"; its `cause` has the reason. */
function causeOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message || message || String(error);
}
