import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessCluster } from '../../test/support/cluster/process-cluster.ts';
import { longestPauseMs, playedWithBuffer, type ReceivedStream, receiveStream } from './cluster-stream.ts';
import type { Fault } from './faults.ts';
import { leftoversOf } from './leftovers.ts';

/** Buffer of a listener, in seconds of audio. */
const BUFFER_SECONDS = 1;
/** The fault comes at a random time within this span after every stream has its first audio. */
const INJECT_WITHIN_MS = 1500;
const SETTLE_TIMEOUT_MS = 90_000;
const RETRY_MS = 200;
const RETRY_TIMEOUT_MS = 60_000;
/** Default price of one byte of text. */
const BYTE_NANO = 15_000;

/** Texts, their audio without faults, and the voice that speaks them. */
export interface FaultLoad {
  readonly voice: string;
  readonly texts: readonly string[];
  readonly expected: readonly Buffer[];
}

/** What one repetition of a fault has shown. */
export interface FaultResult {
  readonly streams: number;
  readonly finished: number;
  /** Requests that were repeated after a cut connection. */
  readonly repeated: number;
  readonly streamsWithUnderrun: number;
  readonly stalledSeconds: number;
  readonly longestPauseMs: number;
  readonly equal: number;
  /** Charges differ from one price per stream, or the ledger is inconsistent. */
  readonly bookProblems: readonly string[];
  /** Open holds, slots of the account and tasks of workers after the repetition. */
  readonly leftovers: readonly string[];
  /** Ends of streams that did not finish, with status and code. */
  readonly failures: readonly string[];
}

/** Runs all texts at the same time, spread over the gateways, and injects the fault. */
export async function runFault(
  cluster: ProcessCluster,
  fault: Fault,
  load: FaultLoad,
  repetition: number,
): Promise<FaultResult> {
  const { gateways, key, ledger, accountId } = cluster;
  const spentBefore = (await ledger.wallet(accountId)).spentNano;
  let started = 0;
  let repeated = 0;
  let reportStarted = () => {};
  const allStarted = new Promise<void>((resolve) => {
    reportStarted = resolve;
  });
  const onFirstAudio = () => {
    started += 1;
    if (started >= load.texts.length) reportStarted();
  };
  const streams = load.texts.map(async (text, index) => {
    const gateway = gateways[index % gateways.length]!;
    const idempotencyKey = `${fault.name}-${repetition}-${index}-${Date.now()}`;
    const request = { url: gateway.url, key, text, voice: load.voice, idempotencyKey };
    const received = await receiveStream(request, onFirstAudio);
    if (received.end.kind !== 'cut' || fault.killsGateway !== true) return received;
    repeated += 1;
    const other = gateways[(index + 1) % gateways.length]!;
    return repeatRequest({ ...request, url: other.url });
  });
  const ended = Promise.all(streams);
  // A stream that never starts ends all the same.
  await Promise.race([allStarted, ended]);
  await sleep(Math.random() * INJECT_WITHIN_MS);
  await fault.inject(cluster, repetition);
  const received = await ended;
  await fault.repair(cluster, repetition);
  const price = load.texts.reduce((sum, text) => sum + Buffer.byteLength(text) * BYTE_NANO, 0);
  const books = await untilSettled(cluster, spentBefore + price);
  return { ...compare(received, load), repeated, ...books };
}

/** Repeats a request until it is served: the lease of the first attempt has to expire. */
async function repeatRequest(request: Parameters<typeof receiveStream>[0]): Promise<ReceivedStream> {
  for (const endMs = Date.now() + RETRY_TIMEOUT_MS; ; await sleep(RETRY_MS)) {
    const received = await receiveStream(request);
    if (received.end.kind === 'finished' || Date.now() > endMs) return received;
  }
}

function compare(received: readonly ReceivedStream[], { expected }: FaultLoad) {
  const played = received.map(({ arrivals }) => playedWithBuffer(arrivals, BUFFER_SECONDS));
  return {
    streams: received.length,
    finished: received.filter(({ end }) => end.kind === 'finished').length,
    streamsWithUnderrun: played.filter(({ underruns }) => underruns > 0).length,
    stalledSeconds: played.reduce((sum, { stalledSeconds }) => sum + stalledSeconds, 0),
    longestPauseMs: Math.max(...received.map(({ arrivals }) => longestPauseMs(arrivals))),
    equal: received.filter(({ audio }, index) => expected[index]?.equals(audio)).length,
    failures: received.flatMap(({ end }) => (end.kind === 'finished' ? [] : [JSON.stringify(end)])),
  };
}

/** Waits until everything is charged and nothing is left, and reports what still is after a time limit. */
async function untilSettled(cluster: ProcessCluster, expectedNano: number) {
  const { ledger, accountId } = cluster;
  let leftovers: readonly string[] = [];
  for (const endMs = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < endMs; await sleep(100)) {
    leftovers = await leftoversOf(cluster).catch((error) => [String(error)]);
    const spentNano = (await ledger.wallet(accountId).catch(() => undefined))?.spentNano;
    if (leftovers.length === 0 && spentNano === expectedNano) break;
  }
  const bookProblems = [...(await ledger.verify()).problems.map((problem) => JSON.stringify(problem))];
  const { spentNano } = await ledger.wallet(accountId);
  if (spentNano !== expectedNano)
    bookProblems.push(`charged ${spentNano - expectedNano} nano-dollars too much`);
  return { leftovers, bookProblems };
}
