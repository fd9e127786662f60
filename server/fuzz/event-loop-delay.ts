import type { RealServer } from '../test/support/servers/real-server.ts';

const MAXIMUM = /^nodejs_eventloop_delay_seconds\{percentile="100"\} (\S+)$/m;
const TIMEOUT_MS = 10_000;

/** The maximum delay of the server's event loop, from its metrics. */
export class EventLoopDelay {
  readonly #server: Pick<RealServer, 'url' | 'key'>;

  constructor(server: Pick<RealServer, 'url' | 'key'>) {
    this.#server = server;
  }

  /** The maximum since the last call; undefined if the server does not respond. */
  async read(): Promise<number | undefined> {
    const { url, key } = this.#server;
    try {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const seconds = MAXIMUM.exec(await response.text())?.[1];
      return seconds === undefined ? undefined : Math.round(1000 * Number(seconds));
    } catch {
      return undefined;
    }
  }
}
