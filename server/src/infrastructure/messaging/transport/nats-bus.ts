import { readFileSync } from 'node:fs';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { BusMessage, MessageBus } from './message-bus.ts';

/** How to connect to NATS. */
export interface NatsOptions {
  /** One or more URLs, separated by commas: `nats://host:4222` or `tls://user:password@host:4222`. */
  readonly url: string;
  /** File with the credentials of a NATS user (JWT and seed). */
  readonly credentialsFile?: string | undefined;
  /** Files of the certificate authority, and of the client certificate with its key. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Display name of the connection in the monitoring of the server. */
  readonly name: string;
}

/** NATS cannot be used. The message has no credentials. */
export class NatsUnavailableError extends Error {
  override readonly name = 'NatsUnavailableError';
}

const CONNECT_TIMEOUT_MS = 5000;
/** Short, so that a restarted server loses little time; streams continue after it. */
const RECONNECT_WAIT_MS = 100;
const RECONNECT_JITTER_MS = 50;
const PING_INTERVAL_MS = 2000;
const PINGS_MAX = 3;
const NO_RESPONDERS = 503;
const EMPTY = new Uint8Array(0);

/** Connects to NATS. Throws a `NatsUnavailableError`. The client library is loaded here and nowhere else. */
export async function connectNats(options: NatsOptions): Promise<MessageBus> {
  const { connect } = await import('@nats-io/transport-node');
  try {
    return new NatsBus(await connect(await connectionOptions(options)));
  } catch (error) {
    const { hosts } = parseUrls(options.url);
    const reason = error instanceof Error ? error.message : String(error);
    throw new NatsUnavailableError(`NATS at ${hosts.join(', ')} cannot be used: ${reason}.`);
  }
}

async function connectionOptions(options: NatsOptions): Promise<ConnectionOptions> {
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const { hosts, user, pass, isTls } = parseUrls(options.url);
  const { credentialsFile, caFile, certFile, keyFile } = options;
  const hasTls = isTls || caFile !== undefined || certFile !== undefined;
  return {
    servers: hosts,
    name: options.name,
    ...(user !== undefined && { user, ...(pass !== undefined && { pass }) }),
    ...(credentialsFile !== undefined && {
      authenticator: credsAuthenticator(readFileSync(credentialsFile)),
    }),
    ...(hasTls && {
      tls: {
        ...(caFile !== undefined && { caFile }),
        ...(certFile !== undefined && { certFile }),
        ...(keyFile !== undefined && { keyFile }),
      },
    }),
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    reconnectJitterTLS: RECONNECT_JITTER_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_MAX,
  };
}

/** Hosts, credentials and scheme of a list of URLs. The first one with credentials counts for all. */
export function parseUrls(url: string): {
  readonly hosts: readonly string[] & string[];
  readonly user: string | undefined;
  readonly pass: string | undefined;
  readonly isTls: boolean;
} {
  const urls = url
    .split(',')
    .map((text) => new URL(text.includes('://') ? text.trim() : `nats://${text.trim()}`));
  const withUser = urls.find(({ username }) => username !== '');
  return {
    hosts: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    user: withUser && decodeURIComponent(withUser.username),
    pass: withUser?.password ? decodeURIComponent(withUser.password) : undefined,
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
  };
}

class NatsBus implements MessageBus {
  readonly #connection: NatsConnection;
  readonly #listeners: ((isConnected: boolean) => void)[] = [];
  #isConnected = true;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    void this.#followStatus();
  }

  publish(subject: string, payload: Uint8Array, { replyTo }: { readonly replyTo?: string } = {}): void {
    // The library would queue without a limit.
    if (!this.#isConnected || this.#connection.isClosed() || this.#connection.isDraining()) return;
    this.#connection.publish(subject, payload, replyTo === undefined ? {} : { reply: replyTo });
  }

  subscribe(subject: string, onMessage: (message: BusMessage) => void): void {
    this.#connection.subscribe(subject, {
      callback: (error, message) => {
        // An error of permission is reported by the status of the connection.
        if (error !== null) return;
        const isNoResponder = message.headers?.code === NO_RESPONDERS;
        onMessage({ subject: message.subject, payload: isNoResponder ? EMPTY : message.data, isNoResponder });
      },
    });
  }

  onConnection(listener: (isConnected: boolean) => void): void {
    this.#listeners.push(listener);
  }

  async flush(): Promise<void> {
    await this.#connection.flush();
  }

  async close(): Promise<void> {
    if (!this.#connection.isClosed()) await this.#connection.close();
  }

  async #followStatus(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.#setConnected(false);
      if (type === 'reconnect') this.#setConnected(true);
    }
  }

  #setConnected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    for (const listener of this.#listeners) listener(isConnected);
  }
}
