import { fileURLToPath } from 'node:url';
import type { Address } from '../clients/http-client.ts';
import type { Children } from './children.ts';
import { RpcProcess } from './rpc-process.ts';

const ENTRY = fileURLToPath(new URL('./listeners-main.js', import.meta.url));

/** Listeners that each request one text after the other. */
export interface ListenersCall {
  readonly address: Address;
  /** The process whose CPU time is measured. */
  readonly serverPid: number;
  readonly body: { readonly format: string; readonly sample_rate?: number; readonly mp3_bitrate?: number };
  readonly bytesPerSecond: number;
  readonly listeners: number;
  /** Listeners begin evenly spread over this time; the measurement follows. */
  readonly rampSeconds: number;
  readonly seconds: number;
}

export interface ListenersReport {
  /** CPU seconds of the server process during the measurement. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Audio that all listeners received during the measurement. */
  readonly audioSeconds: number;
  /** Requests of which bytes were received during the measurement, and those that received all of them. */
  readonly requests: number;
  readonly finished: number;
  readonly underruns: number;
  readonly stalledSeconds: number;
  readonly firstAudioMs: readonly number[];
  /** Resident memory of the server process at the end. */
  readonly memoryBytes: number;
  readonly failures: readonly string[];
}

/** Runs listeners in a process of their own, whose CPU time is not that of the server. */
export async function runListeners(call: ListenersCall, children: Children): Promise<ListenersReport> {
  const process = new RpcProcess<ListenersCall, ListenersReport>(ENTRY, children);
  try {
    return await process.call(call);
  } finally {
    await process.stop();
  }
}
