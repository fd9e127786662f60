// Checks the upgrade of a data folder of 0.1.0 with real servers: the code of that version fills the folder (paid speech, a second
// key, a cloned voice, a dictionary, a transcription job); starts of this version are killed at different times; then one start
// completes, and every row, key, voice and amount is there. Needs a build, the models and the history of the repository.
//
//   node scripts/check-upgrade.mjs [FOLDER]     a built clone of 0.1.0; default: it is made
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'libsql';
import {
  assert,
  CLI_MAIN,
  cloneVoice,
  firstKey,
  form,
  freePort,
  post,
  SERVER_MAIN,
  speak,
  startServer,
  stopServer,
  until,
  VOICE_TEXT,
} from './support/real-server.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const COMMIT_0_1_0 = 'b13f1a5';
const SCHEMA_0_1_0 = '0008-account-watermarks';
/** Starts are killed after this time and multiples of it, until one has completed the migration. */
const KILL_STEP_MS = 100;
const KILLS_MAX = 100;
/** What an upgrade changes on purpose: migration 0011 removes names; the use of a key is recorded. */
const CHANGED_COLUMNS = new Map([
  ['audit_event', ['facts']],
  ['api_key', ['last_used_at']],
]);

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-upgrade-'));
const old = process.argv[2] ? resolve(process.argv[2]) : join(scratch, 'old');
const data = join(scratch, 'data');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  MYNAH_DATA: data,
  MYNAH_MODELS: join(scratch, 'models'),
  PORT: String(port),
  MYNAH_BILLING: 'prepaid',
  MYNAH_LOG_LEVEL: 'warn',
};
let server;
try {
  // A copy, because the old version may write to the folder.
  mkdirSync(env.MYNAH_MODELS);
  const models = process.env.MYNAH_MODELS ?? join(homedir(), '.cache/mynah/models');
  cpSync(models, env.MYNAH_MODELS, { recursive: true });
  const { key, second, voice, answers } = await fillFolder();
  const before = readTables();
  const kills = await killStarts(before);
  console.log(`${kills} starts killed: all but the last left the schema of 0.1.0 and every row`);

  server = await startServer({ url, env });
  const rows = compareTables(before, readTables());
  console.log(`upgraded to ${schemaOf(readTables())}: ${rows} rows of ${before.size} tables are kept`);
  for (const [path, answer] of Object.entries(answers))
    assert(contains(await get(path, key), answer), `${path} has changed`);
  console.log(`equal answers: ${Object.keys(answers).join(', ')}`);
  const { is_balanced: isBalanced } = JSON.parse(mynah(CLI_MAIN, 'ledger', 'verify', '--json'));
  assert(isBalanced === true, 'the ledger does not verify');
  const audio = await speak(url, key, {
    text: 'Hello from the old folder.',
    reference_id: voice,
    format: 'wav',
  });
  const { text } = await (await post(`${url}/v1/asr`, second, form({ audio }))).json();
  assert(/hello from the old folder/i.test(text), `the cloned voice speaks: ${text}`);
  console.log(`the ledger verifies, both keys work, the cloned voice speaks: ${text}`);
  await stopServer(server);
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

/** Fills the data folder with the code of 0.1.0. */
async function fillFolder() {
  if (!process.argv[2]) buildOldVersion();
  const oldCli = join(old, 'server/dist/src/cli/main.js');
  server = await startServer({ url, args: [join(old, 'server/dist/src/main.js')], env });
  const key = firstKey(data);
  mynah(oldCli, 'topup', 'acc_first', '100');
  const second = JSON.parse(mynah(oldCli, 'keys', 'create', '--name', 'second', '--json')).key;
  const recording = await speak(url, key, { text: VOICE_TEXT, format: 'wav' });
  const voice = await cloneVoice(url, key, recording);
  await speak(url, key, { text: 'A paid request.', reference_id: voice }, { 'idempotency-key': 'once' });
  await create('/v1/pronunciation-dictionaries', key, { name: 'Names' });
  const job = await create('/v1/asr?async=true', key, form({ audio: recording }));
  const isDone = async () => (await get(`/v1/asr/${job.id}`, key)).status === 'finished';
  await until('the job is done', isDone, 60_000);
  const answers = {};
  for (const path of [`/model/${voice}`, `/v1/asr/${job.id}`, '/v1/pronunciation-dictionaries'])
    answers[path] = await get(path, key);
  await stopServer(server);
  const schema = schemaOf(readTables());
  assert(schema === SCHEMA_0_1_0, `0.1.0 has the schema ${schema}`);
  return { key, second, voice, answers };
}

function buildOldVersion() {
  execFileSync('git', ['clone', '--quiet', '--no-checkout', ROOT, old]);
  execFileSync('git', ['-C', old, 'checkout', '--quiet', COMMIT_0_1_0]);
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: old, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function create(path, key, body) {
  const response = await post(url + path, key, body);
  assert(response.ok, `${path}: ${response.status}`);
  return response.json();
}

async function get(path, key) {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  assert(response.ok, `${path}: ${response.status}`);
  return response.json();
}

/** Whether an answer has every field of an earlier one with its value. */
function contains(value, earlier) {
  if (typeof earlier !== 'object' || earlier === null) return value === earlier;
  return Object.entries(earlier).every(([name, part]) => contains(value?.[name], part));
}

/** Kills starts of this version, each later than the one before, until one has upgraded the folder. Returns their number. */
async function killStarts(before) {
  for (let kill = 1; kill <= KILLS_MAX; kill++) {
    const child = spawn(process.execPath, [SERVER_MAIN], { env, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await sleep(kill * KILL_STEP_MS);
    child.kill('SIGKILL');
    await exited;
    const tables = readTables();
    compareTables(before, tables);
    if (schemaOf(tables) !== SCHEMA_0_1_0) return kill;
  }
  throw new Error('No start has upgraded the folder.');
}

/** All rows by table, in the order of their content. */
function readTables() {
  const sqlite = new Sqlite(join(data, 'mynah.db'));
  try {
    const names = sqlite.prepare("select name from sqlite_master where type = 'table' order by name").all();
    return new Map(
      names.map(({ name }) => [name, sqlite.prepare(`select * from "${name}" order by 1, 2`).all()]),
    );
  } finally {
    sqlite.close();
  }
}

function schemaOf(tables) {
  return tables.get('kysely_migration').at(-1).name;
}

/** Fails when a row or a value of it is missing. Returns the number of rows compared. */
function compareTables(before, after) {
  let count = 0;
  for (const [table, rows] of before) {
    const changed = CHANGED_COLUMNS.get(table) ?? [];
    const kept = (row, columns) => JSON.stringify(columns.map((column) => row[column]));
    for (const row of rows) {
      const columns = Object.keys(row).filter((column) => !changed.includes(column));
      const isKept = after.get(table)?.some((other) => kept(other, columns) === kept(row, columns));
      assert(isKept, `${table}: a row has changed`);
      count++;
    }
  }
  return count;
}

function mynah(cli, ...args) {
  return execFileSync(process.execPath, [cli, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
