import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import createMulticastDns, { type MulticastDNS, type Options } from 'multicast-dns';
import type { Logger } from '../logger.ts';
import {
  type AnnouncedService,
  answerTo,
  goodbyeOf,
  instanceNameOf,
  isSameName,
  recordsOf,
} from './zeroconf-records.ts';

export interface ZeroconfOptions {
  /** Display name. A number is added if another service has it. */
  readonly name: string;
  /** The address on which the server listens. */
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  /** Replaces port and interface of multicast DNS in tests. */
  readonly network?: Pick<Options, 'port' | 'interface'>;
}

/** The announcement of a service in the local network. */
export interface Zeroconf {
  /** Resolves with the announced name; with undefined when the network does not allow it, or after `close`. */
  readonly announced: Promise<string | undefined>;
  /** Withdraws the announcement. */
  close(): Promise<void>;
}

const MDNS_PORT = 5353;
/** Probes of RFC 6762: three queries, 250 ms apart. */
const PROBES = 3;
const PROBE_MS = 250;
/** Names that are tried. */
const NAMES_MAX = 20;
const SECOND_ANNOUNCEMENT_MS = 1000;
/** Maximum time to send the goodbye. */
const GOODBYE_MS = 1000;

/**
 * Announces a Wyoming server over multicast DNS (service `_wyoming._tcp`), and answers queries for it. A network without
 * multicast is logged, and nothing else.
 */
export async function announceWyoming(options: ZeroconfOptions): Promise<Zeroconf> {
  const responder = new Responder(options, await findAddresses(options.host));
  const announced = responder.start();
  return { announced, close: () => responder.close() };
}

class Responder {
  readonly #options: ZeroconfOptions;
  readonly #addresses: () => readonly string[];
  readonly #mdns: MulticastDNS;
  /** No more announcements; a goodbye may follow. */
  readonly #closed = new AbortController();
  /** The socket is closed. */
  readonly #destroyed = new AbortController();
  /** Unique, so that it needs no probe. */
  readonly #hostName = `mynah-${randomBytes(6).toString('hex')}.local`;
  #announcedName: string | undefined;

  constructor(options: ZeroconfOptions, addresses: () => readonly string[]) {
    this.#options = options;
    this.#addresses = addresses;
    const { host, logger, network } = options;
    this.#mdns = createMulticastDns({
      ...(isIPv4(host) && host !== ANY_IPV4 && { interface: host }),
      ...network,
      // A socket that is bound to an interface does not receive multicast on Linux.
      bind: ANY_IPV4,
    });
    this.#mdns.on('error', (err) => {
      logger.warn({ err }, 'zeroconf is not available');
      this.#closed.abort();
    });
    this.#mdns.on('warning', (err) => logger.debug({ err }, 'multicast DNS'));
    this.#mdns.on('query', (query, client) => {
      if (this.#announcedName === undefined) return;
      const isLegacy = client.port !== (network?.port ?? MDNS_PORT);
      const answer = answerTo(query, this.#serviceOf(this.#announcedName), { isLegacy });
      if (answer === undefined) return;
      if (isLegacy) this.#mdns.respond(answer, client);
      else this.#mdns.respond(answer);
    });
  }

  /** Resolves with the announced name. */
  async start(): Promise<string | undefined> {
    const { logger } = this.#options;
    try {
      const name = await this.#findFreeName();
      if (name === undefined) {
        logger.warn('zeroconf: other services have this name');
        return undefined;
      }
      this.#announcedName = name;
      await this.#send(recordsOf(this.#serviceOf(name)));
      void this.#announceAgain(name);
      logger.info({ name }, 'announced over zeroconf');
      return name;
    } catch (err) {
      if (!this.#closed.signal.aborted) logger.warn({ err }, 'zeroconf is not available');
      return undefined;
    }
  }

  async close(): Promise<void> {
    const name = this.#announcedName;
    this.#announcedName = undefined;
    this.#closed.abort();
    if (name !== undefined) {
      const sent = this.#send(goodbyeOf(this.#serviceOf(name))).catch(() => {});
      await Promise.race([sent, delay(GOODBYE_MS, undefined, { ref: false })]);
    }
    this.#destroyed.abort();
    await new Promise<void>((resolve) => this.#mdns.destroy(resolve));
  }

  /** UDP may lose the first announcement. */
  async #announceAgain(name: string): Promise<void> {
    try {
      await delay(SECOND_ANNOUNCEMENT_MS, undefined, { signal: this.#closed.signal, ref: false });
      await this.#send(recordsOf(this.#serviceOf(name)));
    } catch {
      // The announcement was withdrawn, or the network is gone: queries are still answered.
    }
  }

  async #findFreeName(): Promise<string | undefined> {
    const { name } = this.#options;
    for (let number = 1; number <= NAMES_MAX; number++) {
      const candidate = number === 1 ? name : `${name} (${number})`;
      if (!(await this.#isTaken(candidate))) return candidate;
    }
    return undefined;
  }

  async #isTaken(name: string): Promise<boolean> {
    const instance = instanceNameOf(name);
    let isTaken = false;
    const onResponse = ({ answers, additionals }: { answers?: Named[]; additionals?: Named[] }) => {
      const found = [...(answers ?? []), ...(additionals ?? [])];
      // A record with a lifetime of 0 is a goodbye.
      isTaken ||= found.some((record) => isSameName(record.name, instance) && record.ttl !== 0);
    };
    this.#mdns.on('response', onResponse);
    try {
      for (let probe = 0; probe < PROBES && !isTaken; probe++) {
        await this.#sent((done) => this.#mdns.query([{ name: instance, type: 'ANY' as never }], done));
        await delay(PROBE_MS, undefined, { signal: this.#closed.signal });
      }
      return isTaken;
    } finally {
      this.#mdns.off('response', onResponse);
    }
  }

  #serviceOf(name: string): AnnouncedService {
    return { name, hostName: this.#hostName, port: this.#options.port, addresses: this.#addresses() };
  }

  #send(records: ReturnType<typeof recordsOf>): Promise<void> {
    return this.#sent((done) => this.#mdns.respond({ answers: [...records] }, done));
  }

  /** Resolves when a packet is sent. A socket that is closed before it is bound never reports that. */
  async #sent(send: (done: (error: Error | null) => void) => void): Promise<void> {
    const { signal } = this.#destroyed;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      send((error) => {
        signal.removeEventListener('abort', onAbort);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

interface Named {
  readonly name: string;
  readonly ttl?: number;
}

const ANY_IPV4 = '0.0.0.0';
const ANY_IPV6 = '::';

/** The addresses at which other machines reach a server that listens on this one. */
async function findAddresses(host: string): Promise<() => readonly string[]> {
  if (host === ANY_IPV4 || host === ANY_IPV6) return () => localAddresses({ hasIPv6: host === ANY_IPV6 });
  const found = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
  const addresses = found.map(({ address }) => address);
  return () => addresses;
}

/** Read for every answer: a machine may get another address. */
function localAddresses({ hasIPv6 }: { readonly hasIPv6: boolean }): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (hasIPv6 && !scopeid)))
    .map(({ address }) => address);
}
