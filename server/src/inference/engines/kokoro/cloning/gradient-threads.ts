import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Tensor } from '../../onnx/onnxruntime.ts';
import type { StoredWeight } from '../../speaker-embedding/ecapa-weights.ts';
import { isMemoryAmple } from './search-memory.ts';

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
  readonly ecapaWeights: readonly StoredWeight[];
}

export interface GradientRequest {
  readonly inputs: SentTensors;
  /**
   * The file of ECAPA-TDNN, if it is compared too, which doubles the work. Each thread reads it for itself: ONNX Runtime
   * for Node takes no shared memory.
   */
  readonly ecapaFile?: string | undefined;
}

export type GradientThreadReply = { readonly gradient: Float32Array } | { readonly error: string };

/** A thread without work is closed after this time, and gives its memory back. */
const IDLE_MS = 30_000;

/**
 * Threads that compute gradients of the search for a cloned voice. ONNX Runtime for Node blocks its thread during an
 * inference, so gradients at the same time need threads of their own. Each takes up to 300 MB, and 100 MB more with
 * ECAPA-TDNN. The results do not depend on the number of threads.
 */
export class GradientThreads {
  readonly #data: GradientThreadData;
  readonly #threads: (GradientThread | undefined)[];

  constructor({
    constants,
    ...data
  }: Omit<GradientThreadData, 'constants'> & { readonly constants: Readonly<Record<string, Tensor>> }) {
    this.#data = { ...data, constants: toSent(constants) };
    this.#threads = new Array(availableParallelism() > 1 && isMemoryAmple() ? 2 : 1);
  }

  /** Opens all threads in advance. Errors surface in `compute`. */
  prepare(): void {
    for (const place of this.#threads.keys()) this.#threadAt(place);
  }

  /** The gradient for each of the inputs. */
  compute(
    inputs: readonly Readonly<Record<string, Tensor>>[],
    { ecapaFile }: Pick<GradientRequest, 'ecapaFile'>,
  ): Promise<readonly Float32Array[]> {
    return Promise.all(
      inputs.map((each, index) =>
        this.#threadAt(index % this.#threads.length).compute({ inputs: toSent(each), ecapaFile }),
      ),
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

  compute(request: GradientRequest): Promise<Float32Array> {
    clearTimeout(this.#idleTimer);
    const gradient = this.#last.then(() => this.#computeNow(request));
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

  #computeNow(request: GradientRequest): Promise<Float32Array> {
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
      this.#worker.postMessage(request);
    });
  }
}

function toSent(tensors: Readonly<Record<string, Tensor>>): SentTensors {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { data, dims }]) => [name, { data: data as Float32Array, dims }]),
  );
}
