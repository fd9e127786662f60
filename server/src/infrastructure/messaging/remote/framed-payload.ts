import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';

/** Maximum size of the description of a task, with its recordings and vectors. */
export const JOB_MAX_BYTES = 64 * 2 ** 20;
const HEADER_BYTES = 4;

/** Divides the description of a task into payloads. The first one starts with the total length. */
export function divideJob(job: Uint8Array): readonly [Uint8Array, ...Uint8Array[]] {
  if (job.byteLength > JOB_MAX_BYTES) throw new RangeError(`The task has ${job.byteLength} bytes.`);
  const firstLength = Math.min(job.byteLength, PAYLOAD_MAX_BYTES - HEADER_BYTES);
  const first = new Uint8Array(HEADER_BYTES + firstLength);
  new DataView(first.buffer).setUint32(0, job.byteLength);
  first.set(job.subarray(0, firstLength), HEADER_BYTES);
  const rest: Uint8Array[] = [];
  for (let start = firstLength; start < job.byteLength; start += PAYLOAD_MAX_BYTES)
    rest.push(job.subarray(start, start + PAYLOAD_MAX_BYTES));
  return [first, ...rest];
}

/** Reassembles the description of a task: the first payload, then as many as needed. */
export class JobAssembler {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(first: Uint8Array) {
    if (first.byteLength < HEADER_BYTES) throw new RangeError('The task has no header.');
    const total = new DataView(first.buffer, first.byteOffset).getUint32(0);
    if (total > JOB_MAX_BYTES) throw new RangeError(`The task has ${total} bytes.`);
    this.#bytes = new Uint8Array(total);
    this.add(first.subarray(HEADER_BYTES));
  }

  add(payload: Uint8Array): void {
    this.#bytes.set(payload, this.#length);
    this.#length += payload.byteLength;
  }

  /** The description; undefined while parts are missing. */
  get job(): Uint8Array | undefined {
    return this.#length === this.#bytes.byteLength ? this.#bytes : undefined;
  }
}
