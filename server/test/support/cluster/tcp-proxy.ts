import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can delay data, or hold it back as a network does that loses every packet. */
export interface TcpProxy {
  readonly port: number;
  /** Delays data in both directions by this time each. 0: no delay. */
  delay(ms: number): void;
  /** Holds all data back in both directions, and new connections too. Nothing is lost: TCP repeats it. */
  hold(): void;
  /** Ends `hold`. What was held back arrives at once. */
  release(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port before a port of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const links = new Set<Link>();
  let delayMs = 0;
  let isHeld = false;
  const state = { delayMs: () => delayMs, isHeld: () => isHeld };
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      const link = new Link(from, to, state);
      links.add(link);
      from.once('close', () => links.delete(link));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    delay(ms) {
      delayMs = ms;
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const link of links) link.flush();
    },
    async close() {
      for (const link of links) link.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

interface ProxyState {
  readonly delayMs: () => number;
  readonly isHeld: () => boolean;
}

/** One direction of a connection. Keeps the order of data and of the end. */
class Link {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #state: ProxyState;
  readonly #queue: { readonly dueAtMs: number; readonly apply: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, state: ProxyState) {
    this.#from = from;
    this.#to = to;
    this.#state = state;
    from.setNoDelay(true);
    from.on('data', (chunk) => this.#add(() => to.write(chunk)));
    from.on('end', () => this.#add(() => to.end()));
    // A cut connection is cut on the other side, after what was sent before.
    from.on('error', () => this.#add(() => to.destroy()));
    from.on('close', () => this.#add(() => to.destroySoon()));
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#state.isHeld()) return;
    const nowMs = performance.now();
    while (this.#queue[0] !== undefined && this.#queue[0].dueAtMs <= nowMs) this.#queue.shift()?.apply();
    const [next] = this.#queue;
    if (next !== undefined) this.#timer = setTimeout(() => this.flush(), Math.ceil(next.dueAtMs - nowMs));
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
    this.#from.destroy();
    this.#to.destroy();
  }

  #add(apply: () => void): void {
    const lastDueMs = this.#queue.at(-1)?.dueAtMs ?? 0;
    this.#queue.push({ dueAtMs: Math.max(lastDueMs, performance.now() + this.#state.delayMs()), apply });
    if (this.#timer === undefined) this.flush();
  }
}
