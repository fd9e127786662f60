import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runAccountsCommand, runTopUpCommand } from '../../src/cli/commands/accounts.ts';
import { runAuditCommand } from '../../src/cli/commands/audit.ts';
import { runKeysCommand } from '../../src/cli/commands/keys.ts';
import { runLedgerCommand } from '../../src/cli/commands/ledger.ts';
import { runUsageCommand } from '../../src/cli/commands/usage.ts';
import { loadConfig } from '../../src/config/config.ts';
import { databaseOf, openDatabase } from '../../src/infrastructure/sql/database.ts';
import { startTestServer } from '../support/servers/http-server.ts';

const COMMANDS = {
  accounts: runAccountsCommand,
  topup: runTopUpCommand,
  keys: runKeysCommand,
  usage: runUsageCommand,
  ledger: runLedgerCommand,
  audit: runAuditCommand,
};

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands with a new data folder, each with additional arguments. */
async function openCommandLine(t: TestContext, additionalArgs: readonly string[]) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-accounts-'));
  t.after(() => rm(dataFolder, { recursive: true }));
  const { config } = loadConfig({ MYNAH_DATA: dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  await (await openDatabase(databaseOf(config))).destroy();
  const run = async (command: keyof typeof COMMANDS, ...args: string[]): Promise<Outcome> => {
    let out = '';
    let err = '';
    const stdout = { write: (text: string) => (out += text) };
    const stderr = { write: (text: string) => (err += text) };
    const code = await COMMANDS[command]([...args, ...additionalArgs], { config, env: {}, stdout, stderr });
    return { code, out, err };
  };
  const json = async (command: keyof typeof COMMANDS, ...args: string[]) => {
    const { code, out, err } = await run(command, ...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  return { run, json };
}

/** Tests the commands of an operator. */
async function testOperatorCommands({
  run,
  json,
}: Awaited<ReturnType<typeof openCommandLine>>): Promise<void> {
  const { id } = await json('accounts', 'create', '--name', 'Ada', '--member', 'Eve', '--concurrency', '3');
  const changed = await json('accounts', 'change', id, '--watermark', 'on', '--concurrency', '4');
  assert.deepEqual([changed.watermark, changed.name, changed.concurrency_max], [true, 'Ada', 4]);
  assert.equal((await run('accounts', 'change', id, '--watermark', 'off')).out, `${id}  changed\n`);
  for (const wrong of [['--watermark', 'yes'], ['--concurrency', '0'], []]) {
    assert.equal((await run('accounts', 'change', id, ...wrong)).code, 2);
  }
  const paid = await json('topup', id, '12.50', '--id', 'invoice-7');
  assert.equal(paid.wallet.available, '12.5');
  assert.equal((await run('topup', id, '12.50', '--id', 'invoice-7')).out, `${id}  12.5 USD available\n`);

  const created = await json(
    'keys',
    'create',
    '--account',
    id,
    '--name',
    'phone',
    '--days',
    '2',
    '--cap',
    '1',
  );
  assert.match(created.key, /^mynah_/);
  const rotated = await json('keys', 'rotate', created.prefix, '--grace', '60');
  await json('keys', 'revoke', rotated.prefix);
  const keys = (await json('keys', 'list', '--account', id)) as { prefix: string; state: string }[];
  assert.deepEqual(
    [created, rotated].map(({ prefix }) => keys.find((key) => key.prefix === prefix)?.state),
    ['active', 'revoked'],
  );
  assert.match((await run('keys', 'list')).out, new RegExp(`${created.prefix} +phone +active +${id}`));

  const accounts = (await json('accounts', 'list')) as { id: string; name: string; members: string[] }[];
  assert.deepEqual(accounts.find((account) => account.id === id)?.members, ['Eve']);
  assert.match((await run('accounts', 'list')).out, new RegExp(`${id} +Ada +12\\.5 +0 +0 +12\\.5`));
  assert.deepEqual((await json('usage', '--account', id)).items, []);
  assert.match((await run('usage', '--csv', '--by', 'day')).out, /^day,service,requests,units,usd\r\n$/);
  assert.equal((await json('ledger', 'verify')).is_balanced, true);
  const month = new Date().toISOString().slice(0, 7);
  assert.match((await run('ledger', 'statement', id, month)).out, /12\.5/);
  const audit = (await run('audit', '--account', id)).out.trim().split('\n');
  assert.deepEqual(
    audit.map((line) => JSON.parse(line).action),
    [
      'account.create',
      'account.change',
      'account.change',
      'credit.top_up',
      'key.create',
      'key.rotate',
      'key.revoke',
    ],
  );
  assert.equal((await run('accounts', 'delete', id)).code, 2);
  assert.equal((await run('accounts', 'delete', id, '--yes')).out, `${id}  deleted\n`);
  const gone = await run('topup', id, '1');
  assert.equal(gone.code, 1);
  assert.match(gone.err, /was deleted/);
}

test('accounts, keys, credit and ledger are managed in the local database', async (t) => {
  await testOperatorCommands(await openCommandLine(t, []));
});

test('accounts, keys, credit and ledger are managed through a server', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  await testOperatorCommands(await openCommandLine(t, ['--server', server.url, '--key', server.key]));
});

test('a key without the scope admin gets the usage of its own account only', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  const key = await server.createKeyFor('other');
  await (await server.speak({ text: 'hello' }, { authorization: `Bearer ${key}` })).arrayBuffer();
  const { run, json } = await openCommandLine(t, ['--server', server.url, `--key=${key}`]);
  const { items } = await json('usage');
  assert.deepEqual(
    items.map(({ service, units }: { service: string; units: number }) => [service, units]),
    [['tts', 5]],
  );
  const refused = await run('accounts', 'list');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /admin/);
  const incomplete = await openCommandLine(t, ['--server']);
  assert.equal((await incomplete.run('keys', 'list')).code, 2);
});
