import { fileURLToPath } from 'node:url';
import type { Children } from './children.ts';
import { RpcProcess } from './rpc-process.ts';

const ENTRY = fileURLToPath(new URL('./bare-engine-main.js', import.meta.url));

/** Cost of synthesizing a text. */
export interface Cost {
  readonly cpuSeconds: number;
  readonly audioSeconds: number;
  readonly wallSeconds: number;
}

export interface BareEngineSettings {
  readonly modelsRoot: string;
  readonly threads: number;
}

export type BareEngineCall =
  | { readonly type: 'load'; readonly engine: string; readonly settings: BareEngineSettings }
  | { readonly type: 'speak'; readonly text: string; readonly usesServerWindows: boolean };

/** An engine alone in a process, loaded as in a worker. */
export class BareEngine {
  readonly #process: RpcProcess<BareEngineCall, Cost>;

  private constructor(process: RpcProcess<BareEngineCall, Cost>) {
    this.#process = process;
  }

  static async start(engine: string, settings: BareEngineSettings, children: Children): Promise<BareEngine> {
    const process = new RpcProcess<BareEngineCall, Cost>(ENTRY, children);
    await process.call({ type: 'load', engine, settings });
    return new BareEngine(process);
  }

  /**
   * Measures the synthesis of a text without the text front end. Every piece is latency critical; with
   * `usesServerWindows` only the first one, as in the server.
   */
  speak(text: string, { usesServerWindows = false } = {}): Promise<Cost> {
    return this.#process.call({ type: 'speak', text, usesServerWindows });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
