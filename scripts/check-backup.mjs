// Checks backup and restoration with a real server: a backup during 50 paid requests is restored elsewhere; there the ledger
// verifies, a cloned voice speaks equal bytes with a seed, and all keys work. Needs a build and the models.
//
//   node scripts/check-backup.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assert,
  CLI_MAIN,
  cloneVoice,
  firstKey,
  freePort,
  speak,
  startServer,
  stopServer,
  VOICE_TEXT,
} from './support/real-server.mjs';

const REQUESTS = 50;
const CLIENTS = 4;

const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-backup-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
let server;
try {
  server = await start('data');
  const key = firstKey(join(scratch, 'data'));
  mynah('data', 'topup', 'acc_first', '100');
  const second = JSON.parse(mynah('data', 'keys', 'create', '--name', 'second', '--json')).key;
  const voice = await cloneVoice(url, key, await speak(url, key, { text: VOICE_TEXT, format: 'wav' }));
  const request = { text: 'The same bytes before and after.', reference_id: voice, seed: 7, format: 'wav' };
  const before = await speak(url, key, request);

  let finished = 0;
  let isBackedUp = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (finished < REQUESTS || !isBackedUp) {
      await speak(url, key, { text: 'A paid request.' });
      finished++;
    }
  });
  const file = join(scratch, 'backup.tar');
  const backup = spawn(process.execPath, [CLI_MAIN, 'backup', file], {
    env: environment('data'),
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const [status] = await once(backup, 'exit');
  const during = finished;
  isBackedUp = true;
  await Promise.all(clients);
  assert(status === 0, `the backup ended with status ${status}`);
  console.log(
    `backup: ${statSync(file).size} bytes, finished during request ${during} of ${finished} paid ones`,
  );
  await stopServer(server);

  mynah('elsewhere', 'restore', file);
  const { is_balanced: isBalanced } = JSON.parse(mynah('elsewhere', 'ledger', 'verify', '--json'));
  assert(isBalanced === true, 'the ledger does not verify');
  server = await start('elsewhere');
  assert(before.equals(await speak(url, key, request)), 'the restored voice speaks other bytes');
  await speak(url, second, { text: 'The second key works.' });
  mynah('elsewhere', 'ledger', 'verify');
  await stopServer(server);
  console.log(
    `restored: the ledger verifies, both keys work, the cloned voice speaks equal bytes (${before.length}, seed 7)`,
  );
} finally {
  server?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}

function environment(folder) {
  return {
    ...process.env,
    MYNAH_DATA: join(scratch, folder),
    PORT: String(port),
    MYNAH_BILLING: 'prepaid',
    MYNAH_LOG_LEVEL: 'warn',
  };
}

function mynah(folder, ...args) {
  return execFileSync(process.execPath, [CLI_MAIN, ...args], {
    env: environment(folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function start(folder) {
  return startServer({ url, env: environment(folder) });
}
