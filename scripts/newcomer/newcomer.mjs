// A newcomer: a fresh clone in a path with spaces, an empty home folder, and the programs that are run there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../setup.mjs';

const TIMEOUT_MS = 600_000;
const POLL_MS = 200;
/** The user and the group `nobody`. */
const NOBODY = 65_534;
/** How this machine reaches the package registry. */
const NETWORK_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'npm_config_registry',
];
const BUILD_OUTPUTS = [
  'server/dist',
  'sdk/typescript/dist',
  'sdk/typescript/cjs',
  'examples/dist',
  'console/dist',
];

export class Newcomer {
  folder = mkdtempSync(join(tmpdir(), 'mynah newcomer '));
  clone = join(this.folder, 'path with spaces', 'mynah');
  home = join(this.folder, 'home');
  /** A working directory outside the clone. */
  elsewhere = join(this.folder, 'elsewhere');
  temporary = join(this.folder, 'tmp');
  data = join(this.clone, 'data');
  #modelFiles = join(this.folder, 'model-files');
  #npmCache = join(this.folder, 'npm-cache');
  /** The user `nobody`, when root runs this and `nobody` can run Node. */
  identity = this.#findIdentity();
  /** Whether the clone installs its packages, instead of using those of this tree. */
  hasOwnPackages;
  #server;
  #output = '';

  static async create(options) {
    return new Newcomer(options.reuse, await freePort());
  }

  constructor(reuse, port) {
    this.hasOwnPackages = !reuse;
    this.url = `http://127.0.0.1:${port}`;
    this.env = {
      ...Object.fromEntries(
        ['PATH', ...NETWORK_VARIABLES].flatMap((name) =>
          process.env[name] ? [[name, process.env[name]]] : [],
        ),
      ),
      HOME: this.home,
      TMPDIR: this.temporary,
      PORT: String(port),
      npm_config_cache: this.#npmCache,
      // Models from a local folder, and no measurement of the machine: other tests cover both.
      ...(reuse && {
        MYNAH_MODEL_SOURCES: 'local',
        MYNAH_MODEL_FOLDER: this.#modelFiles,
        MYNAH_WORKERS: '1',
        MYNAH_THREADS: '1',
        MYNAH_STOCK_DECODER_MAX_RTF: '0',
      }),
    };
  }

  /** Clones the last commit. With `reuse`, packages, build and model files come from this tree and its models folder. */
  async makeClone() {
    const folders = [
      this.folder,
      this.home,
      this.elsewhere,
      this.temporary,
      this.#npmCache,
      join(this.clone, '..'),
    ];
    for (const path of folders) mkdirSync(path, { recursive: true });
    execute('git', ['clone', '--quiet', ROOT, this.clone]);
    if (!this.hasOwnPackages) {
      link(join(ROOT, 'node_modules'), join(this.clone, 'node_modules'));
      link(
        process.env.MYNAH_MODELS ||
          join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mynah/models'),
        this.#modelFiles,
      );
      // Copies, because the stamps of the build are written anew.
      for (const path of BUILD_OUTPUTS) execute('cp', ['-a', join(ROOT, path), join(this.clone, path)]);
      const setup = JSON.stringify(join(this.clone, 'scripts/setup.mjs'));
      execute(process.execPath, ['--input-type=module', '-e', `(await import(${setup})).markBuilt()`]);
    }
    if (this.identity === undefined) return;
    const model = this.hasOwnPackages ? [] : [this.#modelFiles];
    for (const path of [...folders, this.clone, ...model]) chownSync(path, NOBODY, NOBODY);
    if (this.hasOwnPackages) execute('chown', ['-R', `${NOBODY}:${NOBODY}`, this.clone]);
  }

  /** Runs `npm start` until the server is ready; returns what it has printed. */
  async start() {
    this.#output = '';
    this.#server = this.#spawn('npm', ['start'], { cwd: this.clone });
    for (const stream of [this.#server.stdout, this.#server.stderr])
      stream.on('data', (chunk) => {
        this.#output += chunk;
      });
    await until('the server is ready', async () => {
      if (this.#server.exitCode !== null) throw new Error(`The server ended:\n${this.#output}`);
      return this.#output.includes(`listens on ${this.url}`) && (await this.#isReady());
    });
    return this.#output;
  }

  /** Sends SIGTERM to `npm start`; returns its exit status once no process of the newcomer is left. */
  async stop() {
    const exited = once(this.#server, 'exit');
    this.#server.kill('SIGTERM');
    const [status] = await exited;
    this.#server = undefined;
    await until('no process is left', () => this.#processes().length === 0);
    return status;
  }

  /** Runs a program; fails when it does not end with the expected status. */
  async run(command, args, { cwd = this.elsewhere, env = {}, status = 0, asRoot = false } = {}) {
    const child = this.#spawn(command, args, { cwd, env, asRoot });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].on('data', (chunk) => {
        output[name] += chunk;
      });
    const [code, signal] = await once(child, 'close');
    if (code !== status)
      throw new Error(
        `${command} ${args.join(' ')}: ${signal ?? code} instead of ${status}\n${output.stdout}\n${output.stderr}`,
      );
    return output;
  }

  /** The command line as a user of the clone calls it from another folder. */
  mynah(args, options) {
    return this.run('npm', ['--prefix', this.clone, 'run', '--silent', 'mynah', '--', ...args], options);
  }

  /** Ends what still runs and removes the folder. */
  async clear() {
    for (const pid of this.#processes()) process.kill(pid, 'SIGKILL');
    await until('no process is left', () => this.#processes().length === 0);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #findIdentity() {
    if (process.getuid?.() !== 0) return undefined;
    chownSync(this.folder, NOBODY, NOBODY);
    const identity = { uid: NOBODY, gid: NOBODY };
    const trial = spawnSync(process.execPath, ['--version'], { ...identity, cwd: this.folder });
    return trial.status === 0 ? identity : undefined;
  }

  async #isReady() {
    const response = await fetch(`${this.url}/v1/health/ready`).catch(() => undefined);
    return response?.ok === true;
  }

  /** Processes whose working directory is in the newcomer's folder. */
  #processes() {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => workingDirectory(pid)?.startsWith(`${this.folder}/`))
      .map(Number);
  }

  #spawn(command, args, { cwd, env = {}, asRoot = false }) {
    return spawn(command, args, {
      cwd,
      env: { ...this.env, ...env },
      ...(asRoot ? {} : this.identity),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
  }
}

function workingDirectory(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // The process has ended or belongs to another user.
  }
}

function execute(command, args) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/** Copies a folder with hard links, or its content where that is impossible. */
function link(from, to) {
  if (spawnSync('cp', ['-al', from, to]).status === 0) return;
  if (existsSync(to)) rmSync(to, { recursive: true });
  execute('cp', ['-a', from, to]);
}

async function until(what, isTrue) {
  const end = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Timeout: ${what}.`);
    await delay(POLL_MS);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
