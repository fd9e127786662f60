import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Tensor } from '../../onnx/onnxruntime.ts';
import type { StoredWeight } from '../../speaker-embedding/ecapa-weights.ts';
import { isMemoryAmple } from './search-memory.ts';
import type { Heard } from './trial-listener.ts';

/** Float tensors as they are sent to a thread. */
export type SentTensors = Readonly<
  Record<string, { readonly data: Float32Array; readonly dims: readonly number[] }>
>;

export interface SearchThreadData {
  /** Paths of the model of the gradients and of the one that hears a recording. */
  readonly gradientModel: string;
  readonly statisticsModel: string;
  /** Threads of ONNX Runtime per inference. */
  readonly threads: number;
  /** Inputs of both models that are always equal. */
  readonly constants: SentTensors;
  readonly ecapaWeights: readonly StoredWeight[];
}

/** `hear` gives what the search compares of windows of a recording, `gradient` the gradient of a trial. */
export type SearchThreadRequest = (
  | { readonly kind: 'hear'; readonly windows: readonly Float32Array[] }
  | { readonly kind: 'gradient'; readonly inputs: SentTensors }
) &
  WithEcapa;

interface WithEcapa {
  /**
   * The file of ECAPA-TDNN, if it is computed too, which doubles the work. Each thread reads it for itself: ONNX Runtime
   * for Node takes no shared memory.
   */
  readonly ecapaFile: string | undefined;
}

export type SearchThreadReply =
  | { readonly heard: readonly Heard[] }
  | { readonly gradient: Float32Array }
  | { readonly error: string };

/** A thread without work is closed after this time, and gives its memory back. */
const IDLE_MS = 30_000;

/**
 * Threads that compute gradients of the search for a cloned voice. ONNX Runtime for Node blocks its thread during an
 * inference, so gradients at the same time need threads of their own. The first one also hears recordings, while the main
 * thread measures them. Each takes up to 300 MB, and 100 MB more with ECAPA-TDNN. The results do not depend on the number
 * of threads.
 */
export class SearchThreads {
  readonly #data: SearchThreadData;
  readonly #threads: (SearchThread | undefined)[];

  constructor({
    constants,
    ...data
  }: Omit<SearchThreadData, 'constants'> & { readonly constants: Readonly<Record<string, Tensor>> }) {
    this.#data = { ...data, constants: toSent(constants) };
    this.#threads = new Array(availableParallelism() > 1 && isMemoryAmple() ? 2 : 1);
  }

  /** Opens all threads in advance. Errors surface in the requests. */
  prepare(): void {
    for (const place of this.#threads.keys()) this.#threadAt(place);
  }

  /** What the search compares of each of the windows. */
  async hear(windows: readonly Float32Array[], { ecapaFile }: WithEcapa): Promise<readonly Heard[]> {
    const reply = await this.#threadAt(0).request({ kind: 'hear', windows, ecapaFile });
    if (!('heard' in reply)) throw new Error('The thread did not hear the windows.');
    return reply.heard;
  }

  /** The gradient for each of the inputs. */
  gradients(
    inputs: readonly Readonly<Record<string, Tensor>>[],
    { ecapaFile }: WithEcapa,
  ): Promise<readonly Float32Array[]> {
    return Promise.all(
      inputs.map(async (each, index) => {
        const thread = this.#threadAt(index % this.#threads.length);
        const reply = await thread.request({ kind: 'gradient', inputs: toSent(each), ecapaFile });
        if (!('gradient' in reply)) throw new Error('The thread did not compute the gradient.');
        return reply.gradient;
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.close()));
  }

  #threadAt(place: number): SearchThread {
    const open = this.#threads[place];
    if (open?.isOpen) return open;
    const thread = new SearchThread(this.#data);
    this.#threads[place] = thread;
    return thread;
  }
}

class SearchThread {
  readonly #worker: Worker;
  /** The end of the last request: a thread answers one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(workerData: SearchThreadData) {
    this.#worker = new Worker(new URL('./search-thread-main.js', import.meta.url), { workerData });
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

  request(request: SearchThreadRequest): Promise<SearchThreadReply> {
    clearTimeout(this.#idleTimer);
    const reply = this.#last.then(() => this.#requestNow(request));
    const last = reply
      .catch(() => {})
      .then(() => {
        if (this.#last === last) this.#closeWhenIdle();
      });
    this.#last = last;
    return reply;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#failure ??= new Error('The thread of the voice search is closed.');
    await this.#worker.terminate();
  }

  #closeWhenIdle(): void {
    this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #requestNow(request: SearchThreadRequest): Promise<SearchThreadReply> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        this.#worker.off('message', onReply);
        this.#worker.off('exit', onExit);
        this.#worker.unref();
        finish();
      };
      const onReply = (reply: SearchThreadReply) =>
        settle(() => ('error' in reply ? reject(new Error(reply.error)) : resolve(reply)));
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
