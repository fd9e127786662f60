import { type ClientOptions, Transport } from '../net/transport.ts';
import type { CallOptions } from '../types/index.ts';
import { type RawResponse, toFishAudioError } from './errors.ts';

/** A value, a promise of it, or a function that returns it. */
export type Supplier<T> = T | Promise<T> | (() => T | Promise<T>);

/** Constructor options of npm `fish-audio`. */
export interface Options {
  readonly apiKey?: Supplier<string | undefined>;
  readonly baseUrl?: Supplier<string>;
  readonly environment?: Supplier<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Call options of npm `fish-audio`. */
export interface RequestOptions {
  readonly timeoutInSeconds?: number;
  readonly maxRetries?: number;
  readonly abortSignal?: AbortSignal;
  readonly apiKey?: string;
  readonly queryParams?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A promise of the data that also gives access to the response headers. */
export class HttpResponsePromise<T> extends Promise<T> {
  #raw: Promise<{ data: T; rawResponse: RawResponse }> | undefined;

  // `then` returns plain promises.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static from<T>(work: () => Promise<{ data: T; rawResponse: RawResponse }>): HttpResponsePromise<T> {
    const raw = work().catch((error: unknown) => {
      throw toFishAudioError(error);
    });
    const promise = new HttpResponsePromise<T>((resolve, reject) => {
      raw.then(({ data }) => resolve(data), reject);
    });
    promise.#raw = raw;
    return promise;
  }

  withRawResponse(): Promise<{ data: T; rawResponse: RawResponse }> {
    return this.#raw ?? Promise.reject(new Error('This promise has no response.'));
  }
}

/** Creates a transport with resolved suppliers. */
export async function openTransport(options: Options, request: RequestOptions = {}): Promise<Transport> {
  const settings: ClientOptions = {
    apiKey: request.apiKey ?? (await supply(options.apiKey)),
    baseUrl: (await supply(options.baseUrl)) ?? (await supply(options.environment)),
    headers: options.headers,
  };
  return new Transport(settings);
}

export function toCallOptions({
  timeoutInSeconds,
  maxRetries,
  abortSignal,
  headers,
}: RequestOptions = {}): CallOptions {
  return {
    timeoutMs: timeoutInSeconds === undefined ? undefined : timeoutInSeconds * 1000,
    maxRetries,
    signal: abortSignal,
    headers,
  };
}

function supply<T>(supplier: Supplier<T> | undefined): T | undefined | Promise<T> {
  return typeof supplier === 'function' ? (supplier as () => T | Promise<T>)() : supplier;
}
