import { fileURLToPath } from 'node:url';
import { AskedProcess } from './asked-process.ts';
import type { Children } from './children.ts';

const ENTRY = fileURLToPath(new URL('./bare-engine-main.js', import.meta.url));

/** What it took to speak a text. */
export interface Cost {
  readonly cpuSeconds: number;
  readonly audioSeconds: number;
  readonly wallSeconds: number;
}

export interface BareEngineSettings {
  readonly modelsRoot: string;
  readonly threads: number;
}

export type BareEngineQuestion =
  | { readonly type: 'load'; readonly engine: string; readonly settings: BareEngineSettings }
  | { readonly type: 'speak'; readonly text: string; readonly isToldAll: boolean };

/** An engine alone in a process, loaded the way a worker loads it. */
export class BareEngine {
  readonly #process: AskedProcess<BareEngineQuestion, Cost>;

  private constructor(process: AskedProcess<BareEngineQuestion, Cost>) {
    this.#process = process;
  }

  static async start(engine: string, settings: BareEngineSettings, children: Children): Promise<BareEngine> {
    const process = new AskedProcess<BareEngineQuestion, Cost>(ENTRY, children);
    await process.ask({ type: 'load', engine, settings });
    return new BareEngine(process);
  }

  /**
   * Speaks a text and tells what the engine alone took for it, without reading the text. By itself it does not know that
   * only the first piece is waited for, which the server tells it; `isToldAll` tells it too.
   */
  speak(text: string, { isToldAll = false } = {}): Promise<Cost> {
    return this.#process.ask({ type: 'speak', text, isToldAll });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
