import type { Finding, Findings } from './findings.ts';
import { callServer, type FuzzOutcome, type FuzzRequest, toCurl } from './http-call.ts';
import {
  addressCase,
  audioCase,
  type CaseContext,
  dictionaryCase,
  type HttpCase,
  jsonCase,
  msgpackCase,
  multipartCase,
  textCase,
} from './http-cases.ts';
import type { FuzzOptions, GroupName } from './options.ts';
import { Random } from './random.ts';
import { createSocketCase, runSocketCase } from './socket-cases.ts';

/** A response without an end within this time is a finding. The time limits of the server are far below it. */
const TIMEOUT_MS = 180_000;
/** Responses that take longer are counted: with an idle machine there are none. */
const LATE_MS = 60_000;
const SHRINK_ATTEMPTS = 24;
const RECENT_CASES = 12;

const HTTP_CASES: Partial<Record<GroupName, HttpCase>> = {
  json: jsonCase,
  msgpack: msgpackCase,
  multipart: multipartCase,
  address: addressCase,
  text: textCase,
  dictionary: dictionaryCase,
  audio: audioCase,
};

export interface RunReport {
  readonly requests: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Number of cases that took longer than `LATE_MS`. */
  readonly late: number;
}

export interface CaseRunnerOptions extends FuzzOptions {
  readonly url: string;
  readonly context: CaseContext;
  readonly findings: Findings;
  readonly isServerAlive: () => boolean;
}

/** Runs the generated cases, several at a time. Case numbers and the seed determine every case. */
export class CaseRunner {
  readonly #options: CaseRunnerOptions;
  readonly #requests: Record<string, number> = {};
  readonly #statuses: Record<string, number> = {};
  readonly #inFlight = new Map<number, string>();
  readonly #recent: string[] = [];
  #next = 0;
  #late = 0;
  #isStopped = false;

  constructor(options: CaseRunnerOptions) {
    this.#options = options;
  }

  /** The cases in flight, then the last finished ones. */
  recent(): string {
    return [...this.#inFlight.values(), ...this.#recent.toReversed()].slice(0, RECENT_CASES).join(', ');
  }

  /** Starts no further case. `run` returns when those in flight have ended. */
  stop(): void {
    this.#isStopped = true;
  }

  get started(): number {
    return this.#next;
  }

  async run(): Promise<RunReport> {
    const { onlyCase, concurrency, requests, minutes } = this.#options;
    const endAtMs = Date.now() + minutes * 60_000;
    if (onlyCase !== undefined) await this.#runCase(onlyCase);
    else {
      const runMany = async () => {
        while (this.#next < requests && Date.now() < endAtMs && this.#mayContinue()) {
          await this.#runCase(this.#next++);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, runMany));
    }
    return { requests: this.#requests, statuses: this.#statuses, late: this.#late };
  }

  #mayContinue(): boolean {
    return !this.#isStopped && this.#options.isServerAlive();
  }

  async #runCase(number: number): Promise<void> {
    const { seed, groups, context } = this.#options;
    const random = Random.forCase(seed, number);
    const group = random.pick(groups.filter((name) => name !== 'schemathesis'));
    const place = `${group} ${number}`;
    this.#inFlight.set(number, place);
    this.#requests[group] = (this.#requests[group] ?? 0) + 1;
    const startedAtMs = performance.now();
    try {
      const create = HTTP_CASES[group];
      if (create) await this.#runHttp(place, create(random, context));
      else await this.#runSocket(place, random);
    } finally {
      if (performance.now() - startedAtMs > LATE_MS) this.#late++;
      this.#inFlight.delete(number);
      this.#recent.push(place);
      if (this.#recent.length > RECENT_CASES) this.#recent.shift();
    }
  }

  async #runHttp(place: string, request: FuzzRequest): Promise<void> {
    const { url } = this.#options;
    const outcome = await callServer(url, request, TIMEOUT_MS);
    this.#count(outcome.kind === 'response' ? String(outcome.status) : outcome.kind);
    const problem = judge(request, outcome);
    if (problem && !this.#options.findings.has(problem.signature))
      await this.#report(place, request, problem);
    else if (problem) this.#options.findings.add({ ...problem, place });
  }

  async #runSocket(place: string, random: Random): Promise<void> {
    const { url, context, findings } = this.#options;
    const session = createSocketCase(random, context);
    const outcome = await runSocketCase(url, session, TIMEOUT_MS);
    this.#count(outcome.kind === 'closed' ? `close ${outcome.code}` : `socket ${outcome.kind}`);
    const isInternal = outcome.kind === 'closed' && outcome.code === 1011 && !isOverload(outcome.reason);
    const isFailedUpgrade = outcome.kind === 'rejected' && / 5(?!03)\d\d/.test(outcome.message);
    if (outcome.kind !== 'timeout' && !isInternal && !isFailedUpgrade) return;
    const signature = `socket: ${session.protocol}: ${JSON.stringify(outcome).slice(0, 160)}`;
    if (findings.has(signature)) return;
    const frames = session.frames.map((frame) =>
      typeof frame === 'string'
        ? { text: frame.slice(0, 100_000) }
        : { base64: frame.subarray(0, 100_000).toString('base64') },
    );
    const path = findings.store(
      `${place.replace(' ', '-')}.json`,
      JSON.stringify({ path: session.path, frames }, null, 1),
    );
    findings.add({
      kind: outcome.kind === 'timeout' ? 'hang' : 'socket',
      signature,
      message: `${session.protocol}: ${JSON.stringify(outcome)}`,
      place,
      reproduction: `npm run fuzz -- --seed ${this.#options.seed} --only ${this.#options.groups.join()} --case ${place.split(' ')[1]}; frames in ${path}`,
    });
  }

  async #report(place: string, request: FuzzRequest, problem: Finding): Promise<void> {
    const { url, findings, seed, groups } = this.#options;
    const smallest = problem.kind === 'status' ? await this.#shrink(request, problem) : request;
    const bodyPath = smallest.body && findings.store(`${place.replace(' ', '-')}.body`, smallest.body);
    const repeat = `npm run fuzz -- --seed ${seed} --only ${groups.join()} --case ${place.split(' ')[1]}`;
    findings.add({ ...problem, place, reproduction: `${toCurl(url, smallest, bodyPath)}   # or: ${repeat}` });
  }

  /** Removes parts of the body while the response stays the same. */
  async #shrink(request: FuzzRequest, problem: Finding): Promise<FuzzRequest> {
    let smallest = request;
    let step = Math.ceil((request.body?.length ?? 0) / 2);
    let at = 0;
    for (let attempt = 0; attempt < SHRINK_ATTEMPTS && smallest.body && step > 0; attempt++) {
      if (at >= smallest.body.length) {
        at = 0;
        step = Math.floor(step / 2);
        continue;
      }
      const body: Buffer = Buffer.concat([smallest.body.subarray(0, at), smallest.body.subarray(at + step)]);
      const outcome = await callServer(this.#options.url, { ...smallest, body }, TIMEOUT_MS);
      if (judge(request, outcome)?.signature === problem.signature) smallest = { ...smallest, body };
      else at += step;
    }
    return smallest;
  }

  #count(status: string): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }
}

/** Refusals under load are documented. */
function isOverload(reason: string): boolean {
  return /queue_full|engine_unavailable|shutting_down|busy/.test(reason);
}

/** The oracle: 500 never; other 5xx only as documented; a response in time. */
function judge({ method, path }: FuzzRequest, outcome: FuzzOutcome): Finding | undefined {
  const route = `${method} ${path.split('?')[0]!.slice(0, 60)}`;
  if (outcome.kind === 'timeout') {
    return {
      kind: 'hang',
      signature: `hang: ${route}`,
      message: `${route}: no response within ${TIMEOUT_MS / 1000} s`,
    };
  }
  if (outcome.kind !== 'response' || outcome.status < 500) return undefined;
  const { status, headers, body } = outcome;
  const code = String(headers['x-fish-error-code'] ?? '');
  if (status === 503 && headers['retry-after'] !== undefined) return undefined;
  if (status === 501 && (code === 'cloning_unavailable' || path.startsWith('/compat'))) return undefined;
  return {
    kind: 'status',
    signature: `${status} ${code} ${route.replaceAll(/\/(?=[^/]*[^a-z0-9/_-]|[^/]{20,})[^/]*/gi, '/…')}`,
    message: `${route}: ${status} ${code} ${body.slice(0, 200)}`,
  };
}
