import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { bucketOf } from '../../compose/files.ts';
import { openMachineMeasurements } from '../../compose/machine-measurements.ts';
import type { Config, Environment } from '../../config/config.ts';
import { sharedSettingsOf } from '../../config/shared-settings.ts';
import { createApiKeys } from '../../domain/accounts/keys/api-keys.ts';
import { prefixOf } from '../../domain/accounts/keys/key-format.ts';
import type { ModelStatus, ModelStore } from '../../inference/models/store/model-store.ts';
import { formatBytes } from '../../inference/models/store/progress-display.ts';
import { findDiffering, SqlGateways } from '../../infrastructure/sql/cluster/sql-gateways.ts';
import { databaseOf, type OpenDatabase, openDatabase } from '../../infrastructure/sql/database.ts';
import { isPostgres } from '../../infrastructure/sql/database-clock.ts';
import { findDamage } from '../../infrastructure/sql/database-damage.ts';
import { DatabaseOpenError } from '../../infrastructure/sql/database-faults.ts';
import { SqlKeyStore } from '../../infrastructure/sql/sql-key-store.ts';
import { parse, UsageError } from '../command.ts';
import { isDatabaseMissing } from '../local-database.ts';
import { localUrl } from '../server-address.ts';
import type { Finding } from './doctor-finding.ts';
import { examineMeasurements } from './doctor-measurements.ts';
import { examineCluster } from './doctor-nats.ts';

export type { Finding } from './doctor-finding.ts';

const HELP = `Usage: mynah doctor [--json] [--key KEY]
       mynah doctor --measure-again

Checks the requirements of the server and prints a fix for each problem. Also checks KEY, or MYNAH_API_KEY.
The first start measures which workers, threads and decoder suit the machine; --measure-again lets the next start
measure again.
Exit codes: 0 no problem, 1 a problem was found, 2 wrong usage.
`;

/** The context of the checks. */
export interface DoctorContext {
  readonly config: Config;
  readonly env: Environment;
  readonly store: ModelStore;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const FIRST_START_FIX = 'The first start creates it: npm start';
const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const;

/** Runs `mynah doctor …` and returns the exit status. */
export async function runDoctorCommand(args: string[], context: DoctorContext): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout.write(HELP);
    return 0;
  }
  try {
    const { values } = parse(args, {
      json: { type: 'boolean' },
      key: { type: 'string' },
      'measure-again': { type: 'boolean' },
    });
    if (values['measure-again']) {
      const count = await openMachineMeasurements(context.config).remove();
      context.stdout.write(
        `Removed ${count} measurements. The next start of the server measures this machine again.\n`,
      );
      return 0;
    }
    const findings = await examine(context, values.key ?? context.env.MYNAH_API_KEY);
    context.stdout.write(
      values.json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(toLines).join(''),
    );
    return findings.some(({ state }) => state === 'problem') ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    context.stderr.write(`${error.message}\n\n${HELP}`);
    return 2;
  }
}

function toLines({ what, state, found, fix }: Finding): string {
  return `${MARKS[state]} ${what}: ${found}\n${fix === undefined ? '' : `    ${fix}\n`}`;
}

/** All findings, in the order in which a start needs them. */
export async function examine(context: DoctorContext, key: string | undefined): Promise<readonly Finding[]> {
  const { config, env, store } = context;
  const folder = await examineFolder(config.dataFolder);
  return [
    { what: 'Node', state: 'ok', found: `${process.versions.node} on ${process.platform} ${process.arch}` },
    folder,
    await examineDisk(config),
    ...(await examineModels(store)),
    await examineMeasurements(config),
    await examinePort(config),
    ...(folder.state === 'ok' ? await examineDatabase(config, key) : []),
    ...(await examineFiles(config)),
    ...(await examineCluster(config)),
    await examineFfmpeg(config, env),
  ];
}

/** Creates nothing but a probe in an existing folder: the first start creates the folder. */
async function examineFolder(folder: string): Promise<Finding> {
  const what = 'Data folder';
  const existing = nearestExisting(folder);
  const probe = join(existing, `.mynah-probe-${randomUUID()}`);
  try {
    await writeFile(probe, '');
    await rm(probe);
    if (existing === folder) return { what, state: 'ok', found: `${folder} is writable` };
    return { what, state: 'warning', found: `${folder} does not exist`, fix: FIRST_START_FIX };
  } catch (error) {
    return {
      what,
      state: 'problem',
      found: `${folder} is not writable (${(error as NodeJS.ErrnoException).code})`,
      fix: 'Give this user write permission, or choose another folder with MYNAH_DATA.',
    };
  }
}

/** The folder, or the nearest one above it that exists. */
function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

async function examineDisk({ dataFolder, modelsFolder, diskFreeMinMb }: Config): Promise<Finding> {
  const what = 'Disk';
  const free = await Promise.all([dataFolder, modelsFolder].map(freeBytes));
  const least = Math.min(...free);
  const neededBytes = diskFreeMinMb * 2 ** 20;
  if (least >= neededBytes) return { what, state: 'ok', found: `${formatBytes(least)} free` };
  const folder = free[0] === least ? dataFolder : modelsFolder;
  return {
    what,
    state: 'problem',
    found: `only ${formatBytes(least)} free for ${folder}`,
    fix: `Free at least ${formatBytes(neededBytes)}, or choose other folders with MYNAH_DATA and MYNAH_MODELS.`,
  };
}

/** Free bytes on the disk of the folder, or of the nearest folder above it that exists. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(nearestExisting(folder));
  return bavail * bsize;
}

async function examineModels(store: ModelStore): Promise<Finding[]> {
  const known = (await store.list()).filter(({ model, state }) => model.isDefault || state === 'installed');
  return Promise.all(known.map((status) => examineModel(store, status)));
}

async function examineModel(store: ModelStore, { model: { id }, state }: ModelStatus): Promise<Finding> {
  const what = `Model ${id}`;
  const problems = await store.findProblems(id);
  if (problems.length > 0) {
    const fix = `Run: mynah models verify ${id}; mynah models pull ${id}`;
    return { what, state: 'problem', found: problems.join('; '), fix };
  }
  if (state === 'installed') return { what, state: 'ok', found: 'installed' };
  return {
    what,
    state: 'problem',
    found: state === 'absent' ? 'missing' : 'incomplete',
    fix: `Run: mynah models pull ${id}`,
  };
}

async function examinePort(config: Config): Promise<Finding> {
  const { host, port } = config;
  const what = `Port ${port}`;
  if (port === 0) return { what, state: 'ok', found: 'selected by the system' };
  const code = await tryToListen(host, port);
  if (code === undefined) return { what, state: 'ok', found: 'free' };
  if (code === 'EADDRINUSE' && (await isMynahServer(localUrl(config)))) {
    return { what, state: 'ok', found: 'used by a running Mynah server' };
  }
  return {
    what,
    state: 'problem',
    found: code === 'EADDRINUSE' ? 'used by another program' : `cannot be used on ${host} (${code})`,
    fix: 'Choose another port with PORT or --port, and an address of this machine with HOST.',
  };
}

/** The error code of an attempt to listen; undefined on success. */
function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isMynahServer(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(1000) });
    return ((await response.json()) as { live?: unknown }).live === true;
  } catch {
    return false;
  }
}

/** Checks the database and, when it can be used, the key. */
async function examineDatabase(config: Config, key: string | undefined): Promise<Finding[]> {
  const what = 'Database';
  if (isDatabaseMissing(config)) {
    return [{ what, state: 'warning', found: 'none', fix: FIRST_START_FIX }];
  }
  const fix = 'Restore the database from a backup, or correct MYNAH_DATABASE_URL.';
  let db: OpenDatabase | undefined;
  try {
    db = await openDatabase(databaseOf(config));
    const damage = await findDamage(db);
    if (damage !== undefined) return [{ what, state: 'problem', found: damage, fix }];
    return [
      { what, state: 'ok', found: 'usable' },
      ...(isPostgres(db) ? [await examineServers(db, config)] : []),
      await examineKey(db, key),
    ];
  } catch (error) {
    if (!(error instanceof DatabaseOpenError)) throw error;
    return [{ what, state: 'problem', found: error.message, fix }];
  } finally {
    await db?.destroy();
  }
}

/** The servers that run on a PostgreSQL database, and whether their prices and limits are those of this configuration. */
async function examineServers(db: OpenDatabase, config: Config): Promise<Finding> {
  const what = 'Servers on the database';
  const servers = await new SqlGateways(db).list();
  const found = servers.map(({ host, version }) => `${host} (${version})`).join(', ') || 'none is running';
  const differing = findDiffering(sharedSettingsOf(config), servers);
  if (differing.length > 0) {
    return {
      what,
      state: 'problem',
      found: `${found}; other values than in this configuration: ${differing.join(', ')}`,
      fix: 'Give these settings the same values on all servers; to change them, stop all servers first.',
    };
  }
  if (servers.length > 1 && config.filesUrl === undefined) {
    return {
      what,
      state: 'warning',
      found: `${found}; each has its own files`,
      fix: 'Set MYNAH_FILES_URL on all servers, or let them share the data folder.',
    };
  }
  return { what, state: 'ok', found };
}

/** The bucket of MYNAH_FILES_URL. */
async function examineFiles(config: Config): Promise<readonly Finding[]> {
  const what = 'File storage';
  if (config.filesUrl === undefined) return [];
  const { endpoint, bucket } = config.filesUrl;
  try {
    await bucketOf(config)?.check();
    return [{ what, state: 'ok', found: `${bucket} at ${endpoint} is usable` }];
  } catch (error) {
    const { cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : String(error);
    return [
      {
        what,
        state: 'problem',
        found: `${bucket} at ${endpoint} is not usable (${reason})`,
        fix: 'Check MYNAH_FILES_URL, MYNAH_FILES_ACCESS_KEY and MYNAH_FILES_SECRET_KEY; the bucket must exist.',
      },
    ];
  }
}

async function examineKey(db: OpenDatabase, key: string | undefined): Promise<Finding> {
  const what = 'API key';
  const fix = 'Create a new key: mynah keys create';
  const keys = createApiKeys({ store: new SqlKeyStore(db) });
  try {
    if (key === undefined) {
      const active = (await keys.list()).filter(isActive).length;
      return active > 0
        ? { what, state: 'ok', found: `${active} active` }
        : { what, state: 'warning', found: 'none', fix: 'The first start creates a key: npm start' };
    }
    if ((await keys.authenticate(key)) !== undefined) return { what, state: 'ok', found: 'accepted' };
    const known = await keys.find(prefixOf(key) ?? '');
    if (known === undefined) return { what, state: 'problem', found: 'unknown', fix };
    const found = known.revokedAtMs !== undefined ? 'revoked' : !isActive(known) ? 'expired' : 'wrong secret';
    return { what, state: 'problem', found, fix };
  } finally {
    await keys.close();
  }
}

function isActive(key: { revokedAtMs: number | undefined; expiresAtMs: number | undefined }): boolean {
  return key.revokedAtMs === undefined && (key.expiresAtMs === undefined || key.expiresAtMs > Date.now());
}

async function examineFfmpeg({ ffmpegPath }: Config, { PATH = '' }: Environment): Promise<Finding> {
  const what = 'ffmpeg';
  const candidates = ffmpegPath.includes('/')
    ? [ffmpegPath]
    : PATH.split(delimiter).map((folder) => join(folder, ffmpegPath));
  const path = candidates.find(isExecutable);
  if (path !== undefined) return { what, state: 'ok', found: path };
  return {
    what,
    state: 'warning',
    found: `${ffmpegPath} not found: M4A, AAC and less common formats cannot be decoded, and speech cannot be encoded as AAC or M4B`,
    fix: 'Install it if you need these formats, for example: apt install ffmpeg; or name it with MYNAH_FFMPEG.',
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
