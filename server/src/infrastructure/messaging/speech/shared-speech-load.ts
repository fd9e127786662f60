import { Packr } from 'msgpackr';
import { z } from 'zod';
import type { CapacitySharing } from '../../../domain/speech/capacity/capacity.ts';
import { pseudonymOf } from '../remote/pseudonym.ts';
import type { MessageBus } from '../transport/message-bus.ts';
import { Subjects, senderOf } from '../transport/subjects.ts';

/** Interval of reports. */
const REPORT_MS = 200;
/** Interval of the reports of an idle gateway, by which the others know that it exists. */
const IDLE_REPORT_MS = 1000;
/** A gateway without a further report exists for this time. */
const PRESENT_MS = 5000;
/** The report of a gateway without a further one counts for this time. */
const EXPIRES_MS = 1000;
/** Accounts in a report. The loads of the others are added up under one name. */
const ACCOUNTS_MAX = 256;
const GATEWAYS_MAX = 1024;
const OTHER_ACCOUNTS = 'others';
/** Not an account: what a gateway may admit before its next report. */
const RESERVED = 'reserved';
const NAMES_MAX = 10_000;

const packr = new Packr({ useRecords: false });
const report = z.array(z.tuple([z.string().max(64), z.number().min(0).max(1e6)])).max(ACCOUNTS_MAX + 2);

interface ReceivedReport {
  readonly atMs: number;
  readonly loads: readonly (readonly [string, number])[];
  readonly reserved: number;
}

/** Where a report takes its values from. */
export interface LoadSource {
  readonly loads: () => ReadonlyMap<string, number>;
  readonly reserved: () => number;
}

/**
 * Gateways that use the same workers report the load of their speech streams to each other, by account, so that together they
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
  #sentAtMs = Number.NEGATIVE_INFINITY;
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
  start({ loads, reserved }: LoadSource): void {
    this.#timer ??= setInterval(() => this.report(loads(), reserved()), REPORT_MS).unref();
  }

  /** Sends a report. An idle gateway, whose last report said so, sends one only now and then. */
  report(loads: ReadonlyMap<string, number>, reserved = 0): void {
    const isIdle = loads.size === 0 && reserved === 0 && this.#sent === 0;
    if (isIdle && this.#now() - this.#sentAtMs < IDLE_REPORT_MS) return;
    this.announce(loads, reserved);
  }

  announce(loads: ReadonlyMap<string, number>, reserved: number): void {
    this.#sent = loads.size + (reserved > 0 ? 1 : 0);
    this.#sentAtMs = this.#now();
    const entries = [...bounded(loads), ...(reserved > 0 ? [[RESERVED, reserved] as const] : [])];
    this.#bus.publish(this.#subjects.load(this.#id), packr.pack(entries));
  }

  otherLoads(): ReadonlyMap<string, number> {
    const loads = new Map<string, number>();
    for (const { loads: entries } of this.#currentReports())
      for (const [name, load] of entries) loads.set(name, (loads.get(name) ?? 0) + load);
    return loads;
  }

  reservedByOthers(): number {
    return this.#currentReports().reduce((sum, { reserved }) => sum + reserved, 0);
  }

  get otherCount(): number {
    const oldestMs = this.#now() - PRESENT_MS;
    for (const [gatewayId, { atMs }] of this.#reports) if (atMs < oldestMs) this.#reports.delete(gatewayId);
    return this.#reports.size;
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
    if (this.#sent > 0) this.announce(new Map(), 0);
  }

  /** Reports whose loads still count. */
  #currentReports(): readonly ReceivedReport[] {
    const oldestMs = this.#now() - EXPIRES_MS;
    return [...this.#reports.values()].filter(({ atMs }) => atMs >= oldestMs);
  }

  #receive(gatewayId: string, payload: Uint8Array): void {
    const entries = decode(payload);
    if (entries === undefined) return;
    if (!this.#reports.has(gatewayId) && this.otherCount >= GATEWAYS_MAX) return;
    const loads = entries.filter(([name]) => name !== RESERVED);
    const [, reserved = 0] = entries.find(([name]) => name === RESERVED) ?? [];
    this.#reports.set(gatewayId, { atMs: this.#now(), loads, reserved });
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
