import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Pcm } from '../../src/audio/pcm.ts';
import type { ModelStore } from '../../src/inference/models/store/model-store.ts';
import type { Children } from './children.ts';
import { RpcProcess } from './rpc-process.ts';

const ENTRY = fileURLToPath(new URL('./reference-main.js', import.meta.url));
const PACKAGE = 'kokoro-js';
const VERSION = '1.2.1';
const REPOSITORY = 'onnx-community/Kokoro-82M-v1.0-ONNX';
const WEIGHTS_MODEL = 'kokoro-82m-q8';

export type ReferenceCall =
  | {
      readonly type: 'load';
      readonly packageFolder: string;
      readonly modelsFolder: string;
      readonly repository: string;
    }
  | { readonly type: 'speak'; readonly method: 'generate' | 'stream'; readonly text: string };

export interface ReferenceCost {
  readonly firstSamplesMs: number;
  readonly cpuSeconds: number;
  readonly audioSeconds: number;
  /** The speech. */
  readonly audio: Pcm;
}

/** The reference is not available on this machine. */
export class ReferenceUnavailableError extends Error {
  override readonly name = 'ReferenceUnavailableError';
}

/** npm `kokoro-js` in a separate process, with the weights of the server. */
export class Reference {
  readonly #process: RpcProcess<ReferenceCall, ReferenceCost>;

  private constructor(process: RpcProcess<ReferenceCall, ReferenceCost>) {
    this.#process = process;
  }

  /** Installs the package if missing. Rejects with `ReferenceUnavailableError` when that fails. */
  static async start(options: {
    readonly cacheFolder: string;
    readonly store: ModelStore;
    readonly children: Children;
  }): Promise<Reference> {
    const packageFolder = join(options.cacheFolder, PACKAGE);
    const modelsFolder = join(options.cacheFolder, 'models');
    await installPackage(packageFolder, options.children);
    await linkModelFiles(join(modelsFolder, REPOSITORY), options.store);
    const process = new RpcProcess<ReferenceCall, ReferenceCost>(ENTRY, options.children);
    try {
      await process.call({ type: 'load', packageFolder, modelsFolder, repository: REPOSITORY });
    } catch (error) {
      await process.stop();
      throw new ReferenceUnavailableError(`${PACKAGE} could not be loaded: ${(error as Error).message}`);
    }
    return new Reference(process);
  }

  speak(method: 'generate' | 'stream', text: string): Promise<ReferenceCost> {
    return this.#process.call({ type: 'speak', method, text });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

async function installPackage(folder: string, children: Children): Promise<void> {
  if ((await installedVersion(folder)) === VERSION) return;
  process.stderr.write(`Installing ${PACKAGE} ${VERSION} for comparison…\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  // The npm of `npm run bench`, which may not be on the path.
  const npm = process.env.npm_execpath;
  const [command, ...prefix] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
  const install = promisify(execFile)(command!, [...prefix, 'install', ...options, `${PACKAGE}@${VERSION}`], {
    cwd: folder,
  });
  children.add(install.child);
  try {
    await install;
  } catch (error) {
    throw new ReferenceUnavailableError(`${PACKAGE} could not be installed: ${lastLine(error)}`);
  }
}

async function installedVersion(folder: string): Promise<string | undefined> {
  try {
    // npm writes this file last, so it is missing after an incomplete install.
    const lock = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
    return lock.packages[`node_modules/${PACKAGE}`]?.version;
  } catch {
    return undefined;
  }
}

/** Links the model files in the layout that the package expects. */
async function linkModelFiles(folder: string, store: ModelStore): Promise<void> {
  const weights = await store.find(WEIGHTS_MODEL);
  if (weights === undefined) throw new ReferenceUnavailableError(`${WEIGHTS_MODEL} is not installed.`);
  const tokenizerPath = weights.file('tokenizer.json');
  const tokenizer = JSON.parse(await readFile(tokenizerPath, 'utf8'));
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await symlink(weights.file('model.onnx'), join(folder, 'onnx', 'model_quantized.onnx'));
  await symlink(tokenizerPath, join(folder, 'tokenizer.json'));
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizer.config));
  await writeFile(join(folder, 'config.json'), JSON.stringify({ model_type: 'style_text_to_speech_2' }));
}

function lastLine(error: unknown): string {
  const { stderr = '', message } = error as { readonly stderr?: string; readonly message: string };
  const lines = (stderr.trim() || message).split('\n');
  return lines.find((line) => /\b(E[A-Z]{3,}\d*|code)\b/.test(line)) ?? lines.at(-1)!;
}
