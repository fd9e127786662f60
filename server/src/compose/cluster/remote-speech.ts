import type { KokoroEngineName } from '../../inference/runtime/machine/decoder-choice.ts';
import type { WorkerStatus } from '../../inference/runtime/process/supervisor.ts';
import type { KindPresence } from '../../infrastructure/messaging/protocol/messages.ts';
import { presenceOf } from '../../infrastructure/messaging/protocol/presence-table.ts';
import type { DispatchClient } from '../../infrastructure/messaging/remote/dispatch-client.ts';
import { RemoteSpeechWorkers } from '../../infrastructure/messaging/speech/remote-speech-workers.ts';
import type { SharedSpeechLoad } from '../../infrastructure/messaging/speech/shared-speech-load.ts';
import { DEFAULT_ENGINE, type SpeechBackend } from '../speech/speech-backend.ts';

const STOCK_DECODER: KokoroEngineName = 'kokoro-stock';

/** Speech on the remote workers of the cluster. */
export class RemoteSpeech implements SpeechBackend {
  readonly workers: RemoteSpeechWorkers;
  readonly sharing: SharedSpeechLoad;
  readonly #client: DispatchClient;
  readonly #closed = new AbortController();

  constructor(
    client: DispatchClient,
    options: { readonly waitForWorkerMs: number; readonly sharing: SharedSpeechLoad },
  ) {
    this.#client = client;
    this.sharing = options.sharing;
    this.workers = new RemoteSpeechWorkers(client, options);
  }

  get isReady(): boolean {
    return this.#presences().length > 0;
  }

  /** The decoder that every worker prefers; the fast one if they differ. */
  bestKokoro(): KokoroEngineName {
    const presences = this.#presences();
    const prefersStock = ({ engines: [first] }: KindPresence) => first === STOCK_DECODER;
    return presences.length > 0 && presences.every(prefersStock) ? STOCK_DECODER : DEFAULT_ENGINE;
  }

  /** Workers install the models. */
  async prepareEngine(): Promise<void> {}

  preload(): void {}

  /** One entry per worker. */
  status(): readonly WorkerStatus[] {
    return this.#client.workers.flatMap((worker) => {
      const speech = worker.heartbeat.kinds.find(({ kind }) => kind === 'speech');
      if (speech === undefined) return [];
      return {
        state: !worker.isCompatible ? 'stopped' : worker.heartbeat.isDraining ? 'draining' : 'ready',
        pid: undefined,
        restarts: 0,
        pendingRequests: speech.openTasks,
        memoryBytes: undefined,
        engines: speech.engines,
        loadSeconds: {},
      };
    });
  }

  models(): readonly [] {
    return [];
  }

  /** Resolves when the first worker is present, or after `close`. */
  async start(onProcesses: (count: number) => void): Promise<void> {
    const report = () => onProcesses(Math.max(1, this.#processes()));
    report();
    await new Promise<void>((resolve) => {
      const check = () => {
        report();
        if (this.isReady) resolve();
      };
      const remove = this.#client.onPresence(check);
      this.#closed.signal.addEventListener('abort', () => {
        remove();
        resolve();
      });
      check();
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.sharing.close();
  }

  #presences(): readonly KindPresence[] {
    return this.#client.workers.flatMap((worker) => presenceOf(worker, 'speech') ?? []);
  }

  #processes(): number {
    return this.#presences().reduce((sum, { processes }) => sum + processes, 0);
  }
}
