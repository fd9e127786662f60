import { Packr } from 'msgpackr';
import { z } from 'zod';
import type { CapacitySharing } from '../../../domain/speech/capacity/capacity.ts';
import { pseudonymOf } from '../remote/pseudonym.ts';
import type { MessageBus } from '../transport/message-bus.ts';
import { Subjects, senderOf } from '../transport/subjects.ts';

/** Interval of reports. An idle gateway sends none. */
const REPORT_MS = 200;
/** The report of a gateway without a further one counts for this time. */
const EXPIRES_MS = 1000;
/** Accounts in a report. The loads of the others are added up under one name. */
const ACCOUNTS_MAX = 256;
const GATEWAYS_MAX = 1024;
const OTHER_ACCOUNTS = 'others';
const NAMES_MAX = 10_000;

const packr = new Packr({ useRecords: false });
const report = z.array(z.tuple([z.string().max(64), z.number().min(0).max(1e6)])).max(ACCOUNTS_MAX + 1);

interface ReceivedReport {
  readonly atMs: number;
  readonly loads: readonly (readonly [string, number])[];
}

/**
 * Gateways that use the same workers tell each other the load of their speech streams, by account, so that together they
 * admit what the workers can synthesize, in turn by account. Accounts appear under pseudonyms.
 */
export class SharedSpeechLoad implements CapacitySharing {
  readonly #bus: MessageBus;
  readonly #id: string;
  readonly #subjects = new Subjects();
  readonly #now: () => number;
  readonly #reports = new Map<string, ReceivedReport>();
  readonly #names = new Map<string, string>();
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: MessageBus, { id, now = Date.now }: { readonly id: string; readonly now?: () => number }) {
    this.#bus = bus;
    this.#id = id;
    this.#now = now;
    bus.subscribe(this.#subjects.load('*'), ({ subject, payload, isNoResponder }) => {
      const sender = senderOf(subject);
      if (sender !== undefined && sender !== id && !isNoResponder) this.#receive(sender, payload);
    });
  }

  /** Begins to report the loads of this gateway. */
  start(loads: () => ReadonlyMap<string, number>): void {
    this.#timer ??= setInterval(() => this.report(loads()), REPORT_MS).unref();
  }

  /** Sends a report, unless there is no load and the last report said so. */
  report(loads: ReadonlyMap<string, number>): void {
    if (loads.size === 0 && this.#sent === 0) return;
    this.#sent = loads.size;
    this.#bus.publish(this.#subjects.load(this.#id), packr.pack(bounded(loads)));
  }

  otherLoads(): ReadonlyMap<string, number> {
    const loads = new Map<string, number>();
    const oldestMs = this.#now() - EXPIRES_MS;
    for (const [gatewayId, { atMs, loads: entries }] of this.#reports) {
      if (atMs < oldestMs) this.#reports.delete(gatewayId);
      else for (const [name, load] of entries) loads.set(name, (loads.get(name) ?? 0) + load);
    }
    return loads;
  }

  accountNameOf(accountId: string): string {
    const known = this.#names.get(accountId);
    if (known !== undefined) return known;
    if (this.#names.size >= NAMES_MAX) this.#names.clear();
    const name = pseudonymOf(accountId);
    this.#names.set(accountId, name);
    return name;
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#sent > 0) this.report(new Map());
  }

  #receive(gatewayId: string, payload: Uint8Array): void {
    const loads = decode(payload);
    if (loads === undefined) return;
    if (!this.#reports.has(gatewayId) && this.#reports.size >= GATEWAYS_MAX) return;
    this.#reports.set(gatewayId, { atMs: this.#now(), loads });
  }
}

function decode(payload: Uint8Array): ReceivedReport['loads'] | undefined {
  try {
    return report.safeParse(packr.unpack(payload)).data;
  } catch {
    return undefined;
  }
}

/** The largest loads, and the sum of the others. */
function bounded(loads: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  const sorted = [...loads].sort(([, a], [, b]) => b - a);
  if (sorted.length <= ACCOUNTS_MAX) return sorted;
  const rest = sorted.slice(ACCOUNTS_MAX).reduce((sum, [, load]) => sum + load, 0);
  return [...sorted.slice(0, ACCOUNTS_MAX), [OTHER_ACCOUNTS, rest]];
}
