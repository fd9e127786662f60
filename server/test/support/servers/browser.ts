import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--mute-audio',
  '--autoplay-policy=no-user-gesture-required',
  '--remote-debugging-pipe',
];

/** A headless browser, controlled by the DevTools protocol over a pipe. */
export interface Browser {
  /** Opens a page and waits until its scripts have run. */
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  /** Runs a function in the page with JSON arguments and returns its result. */
  run<Args extends unknown[], Result>(
    work: (...args: Args) => Promise<Result> | Result,
    ...args: Args
  ): Promise<Result>;
}

/** The path of an installed browser; undefined when there is none. */
export function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Starts a browser with a temporary profile. */
export async function startBrowser(path: string, flags: readonly string[] = []): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'mynah-browser-'));
  const child = spawn(path, [...FLAGS, ...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const devTools = new DevTools(child);
  return {
    async open(url) {
      const { targetId } = await devTools.call('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await devTools.call('Target.attachToTarget', { targetId, flatten: true });
      await devTools.call('Page.enable', {}, sessionId);
      const loaded = devTools.event('Page.loadEventFired', sessionId);
      await devTools.call('Page.navigate', { url }, sessionId);
      await loaded;
      return { run: (work, ...args) => evaluate(devTools, sessionId, work, args) };
    },
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function evaluate<Result>(
  devTools: DevTools,
  sessionId: string,
  work: (...args: never[]) => unknown,
  args: readonly unknown[],
): Promise<Result> {
  const { result, exceptionDetails } = await devTools.call(
    'Runtime.evaluate',
    { expression: `(${work})(...${JSON.stringify(args)})`, awaitPromise: true, returnByValue: true },
    sessionId,
  );
  if (exceptionDetails !== undefined) {
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }
  return result.value as Result;
}

/** The fields of DevTools results that are used here. */
interface DevToolsResult {
  readonly targetId: string;
  readonly sessionId: string;
  readonly result: { readonly value: unknown };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}

/** Calls and events of the DevTools protocol: JSON messages terminated by a zero byte. */
class DevTools {
  readonly #input: Writable;
  readonly #calls = new Map<number, { resolve(result: DevToolsResult): void; reject(error: Error): void }>();
  readonly #events = new Map<string, () => void>();
  #lastId = 0;

  constructor(browser: ChildProcess) {
    this.#input = browser.stdio[3] as Writable;
    this.#input.on('error', () => {});
    let pending = '';
    (browser.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (pending + text).split('\0');
      pending = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message));
    });
    const fail = () => this.#failAll(new Error('The browser exited.'));
    browser.once('error', fail).once('exit', fail);
  }

  call(method: string, params: object, sessionId?: string): Promise<DevToolsResult> {
    const id = ++this.#lastId;
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }

  /** Resolves at the next occurrence of the event. */
  event(method: string, sessionId: string): Promise<void> {
    return new Promise((resolve) => this.#events.set(`${method} ${sessionId}`, resolve));
  }

  #receive(message: {
    id?: number;
    method?: string;
    sessionId?: string;
    result?: DevToolsResult;
    error?: { message: string };
  }): void {
    if (message.id === undefined) {
      this.#events.get(`${message.method} ${message.sessionId}`)?.();
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.result !== undefined) call?.resolve(message.result);
    else call?.reject(new Error(message.error?.message ?? 'The browser returned an error.'));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
