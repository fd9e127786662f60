/** Audio to send: a file, bytes, or a stream of bytes. */
export type AudioInput =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Options of one call that override those of the client. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait for the response to begin and for each further chunk; for live sessions, to connect. */
  readonly timeoutMs?: number | undefined;
  /** Retries after 408, 429, 5xx and broken connections. */
  readonly maxRetries?: number | undefined;
  /** Further headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
