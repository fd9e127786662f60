import type { RealServer } from '../test/support/servers/real-server.ts';

const EVENT_LOOP_DELAY = /^nodejs_eventloop_delay_seconds\{percentile="100"\} (\S+)$/m;
const HEAP_USED = /^nodejs_heap_used_bytes (\S+)$/m;
const TIMEOUT_MS = 10_000;

/** Values of `/metrics`; undefined if the server does not respond. */
export interface MetricValues {
  /** The maximum delay of the event loop since the last call. */
  readonly eventLoopDelayMs: number | undefined;
  /** Used part of the JavaScript heap. */
  readonly heapBytes: number | undefined;
}

/** Reads the metrics of a server. */
export class ServerMetrics {
  readonly #server: Pick<RealServer, 'url' | 'key'>;

  constructor(server: Pick<RealServer, 'url' | 'key'>) {
    this.#server = server;
  }

  async read(): Promise<MetricValues> {
    const { url, key } = this.#server;
    try {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const delaySeconds = readValue(EVENT_LOOP_DELAY, text);
      return {
        eventLoopDelayMs: delaySeconds === undefined ? undefined : Math.round(1000 * delaySeconds),
        heapBytes: readValue(HEAP_USED, text),
      };
    } catch {
      return { eventLoopDelayMs: undefined, heapBytes: undefined };
    }
  }
}

function readValue(line: RegExp, text: string): number | undefined {
  const value = line.exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
