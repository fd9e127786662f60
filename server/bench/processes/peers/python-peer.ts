import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromPcm16Bytes } from '../../../src/audio/encode/pcm16.ts';
import type { Children } from '../children.ts';
import { type PeerResult, PeerUnavailableError } from './peer.ts';

/** The script is not compiled, so it is outside the folder of compiled files. */
const SCRIPT = fileURLToPath(new URL('../../../../bench/processes/peers/python-peer.py', import.meta.url));
const INSTALL_TIMEOUT_MS = 10 * 60_000;

export interface PythonPeerOptions {
  /** Packages of the Python package index with their versions. */
  readonly packages: readonly string[];
  /** Folder of the virtual environment; it is created if missing. */
  readonly folder: string;
  /** First message of the script: the name of the library, and what it loads. */
  readonly load: { readonly library: 'hibari' | 'piper' } & Readonly<Record<string, string | number>>;
  readonly children: Children;
}

/** A Python library in a process of its own. */
export class PythonPeer {
  readonly #child: ChildProcess;
  readonly #children: Children;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  readonly #folder: string;
  #sampleRateHz = 0;

  private constructor(child: ChildProcess, folder: string, children: Children) {
    this.#child = child;
    this.#children = children;
    this.#folder = folder;
    this.#reader = createInterface({ input: child.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Installs the packages if missing. Rejects with `PeerUnavailableError` when that fails. */
  static async start({ packages, folder, load, children }: PythonPeerOptions): Promise<PythonPeer> {
    const python = await install(packages, folder);
    const child = children.add(spawn(python, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] }));
    const peer = new PythonPeer(child, await mkdtemp(join(tmpdir(), 'mynah-peer-')), children);
    try {
      const { sampleRateHz } = (await peer.#call(load)) as { readonly sampleRateHz: number };
      peer.#sampleRateHz = sampleRateHz;
      return peer;
    } catch (error) {
      await peer.stop();
      throw new PeerUnavailableError(`${packages[0]} could not be loaded: ${(error as Error).message}`);
    }
  }

  async speak(text: string): Promise<PeerResult> {
    const path = join(this.#folder, 'speech.pcm');
    const cost = (await this.#call({ text, path })) as Omit<PeerResult, 'audio'>;
    const samples = fromPcm16Bytes(await readFile(path));
    return { ...cost, audio: { samples, sampleRateHz: this.#sampleRateHz } };
  }

  async stop(): Promise<void> {
    this.#reader.close();
    await this.#children.stop(this.#child);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #call(message: object): Promise<unknown> {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('The process exited.');
    return JSON.parse(value);
  }
}

/** Installs packages into a virtual environment and returns its Python. */
async function install(packages: readonly string[], folder: string): Promise<string> {
  const python = join(folder, 'bin', 'python');
  const installed = join(folder, 'packages.txt');
  const wanted = packages.join(' ');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === wanted) return python;
  process.stderr.write(`Installing ${wanted} for comparison…\n`);
  const run = promisify(execFile);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_TIMEOUT_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages];
    await run(python, pip, { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    const [message] = (error as Error).message.split('\n').slice(-2);
    throw new PeerUnavailableError(`${packages[0]} could not be installed: ${message}`);
  }
  // Written last, so it is missing after an incomplete installation.
  await writeFile(installed, wanted);
  return python;
}
