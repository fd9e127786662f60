import { availableParallelism, totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Tensor } from '../../onnx/onnxruntime.ts';

/** Float tensors as they are sent to a thread. */
export type SentTensors = Readonly<
  Record<string, { readonly data: Float32Array; readonly dims: readonly number[] }>
>;

export interface GradientThreadData {
  /** Path of the model. */
  readonly model: string;
  /** Threads of ONNX Runtime per inference. */
  readonly threads: number;
  /** Inputs that are equal for all gradients. */
  readonly constants: SentTensors;
}

export type GradientThreadReply = { readonly gradient: Float32Array } | { readonly error: string };

/** Memory of the machine or the container from which on two threads are used. */
const TWO_THREADS_FROM_BYTES = 3 * 2 ** 30;
/** A thread without work is closed after this time, and gives its memory back. */
const IDLE_MS = 30_000;

/**
 * Threads that compute gradients of the search for a cloned voice. ONNX Runtime for Node blocks its thread during an
 * inference, so gradients at the same time need threads of their own. Each takes up to 300 MB. The results do not depend
 * on the number of threads.
 */
export class GradientThreads {
  readonly #data: GradientThreadData;
  readonly #threads: (GradientThread | undefined)[];

  constructor({
    constants,
    ...data
  }: Omit<GradientThreadData, 'constants'> & { readonly constants: Readonly<Record<string, Tensor>> }) {
    this.#data = { ...data, constants: toSent(constants) };
    const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
    const count = availableParallelism() > 1 && memory >= TWO_THREADS_FROM_BYTES ? 2 : 1;
    this.#threads = new Array(count);
  }

  /** Opens all threads in advance. Errors surface in `compute`. */
  prepare(): void {
    for (const place of this.#threads.keys()) this.#threadAt(place);
  }

  /** The gradient for each of the inputs. */
  compute(inputs: readonly Readonly<Record<string, Tensor>>[]): Promise<readonly Float32Array[]> {
    return Promise.all(
      inputs.map((each, index) => this.#threadAt(index % this.#threads.length).compute(toSent(each))),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.close()));
  }

  #threadAt(place: number): GradientThread {
    const open = this.#threads[place];
    if (open?.isOpen) return open;
    const thread = new GradientThread(this.#data);
    this.#threads[place] = thread;
    return thread;
  }
}

class GradientThread {
  readonly #worker: Worker;
  /** The end of the last gradient: a thread computes one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(workerData: GradientThreadData) {
    this.#worker = new Worker(new URL('./gradient-thread-main.js', import.meta.url), { workerData });
    // A thread without work does not keep the process alive.
    this.#worker.unref();
    this.#closeWhenIdle();
    this.#worker.once('error', (error) => {
      this.#failure = error;
    });
    this.#worker.once('exit', () => {
      this.#failure ??= new Error('A thread of the voice search has ended.');
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  compute(inputs: SentTensors): Promise<Float32Array> {
    clearTimeout(this.#idleTimer);
    const gradient = this.#last.then(() => this.#computeNow(inputs));
    const last = gradient
      .catch(() => {})
      .then(() => {
        if (this.#last === last) this.#closeWhenIdle();
      });
    this.#last = last;
    return gradient;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#failure ??= new Error('The thread of the voice search is closed.');
    await this.#worker.terminate();
  }

  #closeWhenIdle(): void {
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #computeNow(inputs: SentTensors): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#worker.off('message', onReply);
        this.#worker.off('exit', onExit);
        this.#worker.unref();
        finish();
      };
      const onReply = (reply: GradientThreadReply) =>
        settle(() => ('error' in reply ? reject(new Error(reply.error)) : resolve(reply.gradient)));
      const onExit = () => settle(() => reject(this.#failure));
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#worker.on('message', onReply);
      this.#worker.on('exit', onExit);
      this.#worker.ref();
      this.#worker.postMessage(inputs);
    });
  }
}

function toSent(tensors: Readonly<Record<string, Tensor>>): SentTensors {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { data, dims }]) => [name, { data: data as Float32Array, dims }]),
  );
}
