import type { CloningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import type { ClonedVoice } from '../../../domain/voices/voice-cloner.ts';
import { divideJob, JobAssembler } from '../remote/framed-payload.ts';
import { isRecord } from '../remote/is-record.ts';
import { decodeValue, encodeValue } from '../remote/value-codec.ts';

/** The jobs that remote workers run. Recordings are decoded on the gateway that has them. */
export type RemoteCloningJob = Extract<CloningJob, { readonly kind: 'clone' | 'mix' | 'design' }>;

/** A voice, or a sign that the worker is still searching for one. */
export type RemoteCloningEvent =
  | { readonly kind: 'voice'; readonly voice: ClonedVoice }
  | { readonly kind: 'working' };

const KINDS: readonly string[] = ['clone', 'mix', 'design'] satisfies RemoteCloningJob['kind'][];

export function encodeCloningJob(job: RemoteCloningJob): Uint8Array {
  return encodeValue(job);
}

/** Throws a `TypeError` for a value that is not a cloning job. */
export function decodeCloningJob(bytes: Uint8Array): RemoteCloningJob {
  const value = decodeValue(bytes);
  if (!isJob(value)) throw new TypeError('The task is not a cloning job.');
  return value;
}

/** The payloads of an event: a speaker vector may exceed one. */
export function encodeCloningEvent(event: RemoteCloningEvent): readonly Uint8Array[] {
  return divideJob(encodeValue(event));
}

/** Reassembles events from their payloads. */
export class CloningEventReader {
  #assembler: JobAssembler | undefined;

  /** The event that the payload completes; undefined while parts are missing. Throws a `TypeError`. */
  add(payload: Uint8Array): RemoteCloningEvent | undefined {
    if (this.#assembler === undefined) this.#assembler = new JobAssembler(payload);
    else this.#assembler.add(payload);
    const { job } = this.#assembler;
    if (job === undefined) return undefined;
    this.#assembler = undefined;
    const value = decodeValue(job);
    if (!isEvent(value)) throw new TypeError('The event is not one of cloning.');
    return value;
  }
}

function isJob(value: unknown): value is RemoteCloningJob {
  if (!isRecord(value) || typeof value.kind !== 'string' || !KINDS.includes(value.kind)) return false;
  if (value.kind === 'mix') return Array.isArray(value.parts);
  if (value.kind === 'design') return typeof value.count === 'number' && isRecord(value.targets);
  return (
    typeof value.engine === 'string' &&
    Array.isArray(value.clips) &&
    value.clips.every((clip) => clip instanceof Float32Array) &&
    isOptionalExcerpt(value.excerpt)
  );
}

function isOptionalExcerpt(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isRecord(value) && value.samples instanceof Float32Array && typeof value.text === 'string';
}

function isEvent(value: unknown): value is RemoteCloningEvent {
  if (!isRecord(value)) return false;
  if (value.kind === 'working') return true;
  const { voice } = value;
  return (
    value.kind === 'voice' &&
    isRecord(voice) &&
    typeof voice.engine === 'string' &&
    voice.vector instanceof Float32Array &&
    typeof voice.loudnessLufs === 'number'
  );
}
