// The first day of a newcomer, step by step. Each step asserts what must be true after it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const JSON_TYPE = { 'content-type': 'application/json' };
/** A port on which nothing listens. */
const UNREACHABLE = 'http://127.0.0.1:9';

/** In this order: later steps use the server, the keys and the files of earlier ones. */
export const STEPS = [
  ['clone into a path with spaces', (newcomer) => newcomer.makeClone()],
  ['npm start; the commands that it and the README show speak', startAndSpeak],
  ['hello.mp3 is transcribed back', transcribeBack],
  ['refusals say what is missing', explainRefusals],
  ['command line from another folder', useCommandLine],
  ['backup while the server runs', backUp],
  ['SIGTERM to npm start stops the server and completes the database file', stopServer],
  ['a wrong setting is one sentence that names it', refuseWrongSetting],
  ['restore', restore],
  ['start, speak and stop without a network', speakOffline],
  ['uninstall leaves nothing', uninstall],
];

async function refuseWrongSetting(newcomer) {
  const { stderr } = await newcomer.run('npm', ['start'], {
    cwd: newcomer.clone,
    env: { MYNAH_DEFAULT_VOICE: 'nobody-has-this-voice' },
    status: 1,
  });
  assert.match(stderr, /MYNAH_DEFAULT_VOICE/);
  assert.doesNotMatch(stderr, /\n +at /, 'no stack trace');
}

async function startAndSpeak(newcomer) {
  const printed = await newcomer.start();
  const { clone, elsewhere, home, data, url } = newcomer;
  await newcomer.run('bash', ['-c', commandOf(printed)]);
  assertSpeech(join(elsewhere, 'hello.mp3'));
  const readme = commandOf(readFileSync(join(clone, 'README.md'), 'utf8'));
  await newcomer.run('bash', ['-c', readme.replace('http://127.0.0.1:8080', url)], { cwd: clone });
  assertSpeech(join(clone, 'hello.mp3'));
  assert.equal(statSync(join(data, 'first-key')).mode & 0o777, 0o600, 'only the owner can read the key');
  assert.deepEqual(readdirSync(home), ['.cache']);
  assert.deepEqual(readdirSync(join(home, '.cache')), ['mynah'], 'models are all that is written at home');
  // Packages of a development tree may hold all of them.
  if (!newcomer.hasOwnPackages) return;
  const binaries = join(clone, 'node_modules/onnxruntime-node/bin');
  const systems = readdirSync(binaries).flatMap((version) => readdirSync(join(binaries, version)));
  assert.deepEqual(systems, [process.platform], 'no binaries for other systems');
}

/** The transcript has the words of the text in the README. */
async function transcribeBack(newcomer) {
  const { stdout } = await newcomer.mynah(['transcribe', '--text', join(newcomer.clone, 'hello.mp3')]);
  assert.match(stdout, /hello.*on your own machine/is);
  return stdout.trim();
}

async function explainRefusals(newcomer) {
  const { key: limited } = await createKey(newcomer, ['--scopes', 'asr']);
  const { key: revoked } = await createKey(newcomer);
  await newcomer.mynah(['keys', 'revoke', revoked.slice(0, revoked.lastIndexOf('_'))]);
  const refusals = [
    [{}, 401, /no API key.*first-key/],
    [{ authorization: 'Bearer nobody-has-this-key' }, 401, /unknown/],
    [{ authorization: `Bearer ${revoked}` }, 401, /revoked/],
    [{ authorization: `Bearer ${limited}` }, 403, /scope `tts`/],
  ];
  for (const [headers, status, reason] of refusals) {
    const response = await speak(newcomer, { text: 'Hello.' }, headers);
    assert.equal(response.status, status);
    assert.match((await response.json()).message, reason);
  }
  const authorization = { authorization: `Bearer ${firstKey(newcomer)}` };
  const malformed = await speak(newcomer, { text: 'Hello.', format: 'mp4' }, authorization);
  assert.equal(malformed.status, 400);
  assert.match(JSON.stringify(await malformed.json()), /format/);
  const german = 'Guten Morgen, wir fahren heute mit dem Zug nach Hause.';
  const foreign = await speak(newcomer, { text: german, reference_id: 'af_heart' }, authorization);
  assert.equal(foreign.status, 200);
  assert.match(foreign.headers.get('x-mynah-warning') ?? '', /german|de/i);
  await foreign.arrayBuffer();
}

async function useCommandLine(newcomer) {
  const { clone, elsewhere, data } = newcomer;
  const { key, stderr } = await createKey(newcomer);
  assert.ok(stderr.includes(data), 'the command says which data folder it uses');
  const response = await speak(newcomer, { text: 'Hello.' }, { authorization: `Bearer ${key}` });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  await newcomer.mynah(['say', 'From another folder.', '-o', 'said.mp3']);
  assertSpeech(join(elsewhere, 'said.mp3'));

  const help = await newcomer.run('npx', ['mynah', 'serve', '--help'], { cwd: clone });
  assert.match(help.stdout, /^Usage: mynah serve/);
  const foreign = { MYNAH_DATA: join(elsewhere, 'no-data') };
  await newcomer.mynah(['keys', 'create', '--name', 'lost'], { env: foreign, status: 1 });
  const doctor = await newcomer.mynah(['doctor', '--json'], {
    env: { ...foreign, MYNAH_FFMPEG: '/no/ffmpeg' },
  });
  assert.match(doctor.stdout, /\/no\/ffmpeg/);
  assert.deepEqual(readdirSync(elsewhere).sort(), ['hello.mp3', 'said.mp3'], 'no database appears');
}

async function backUp(newcomer) {
  await newcomer.mynah(['backup', 'mynah.tar']);
  assert.equal(statSync(join(newcomer.elsewhere, 'mynah.tar')).mode & 0o777, 0o600);
}

async function stopServer(newcomer) {
  assert.equal(await newcomer.stop(), 0);
  const log = statSync(join(newcomer.data, 'mynah.db-wal'), { throwIfNoEntry: false });
  assert.equal(log?.size ?? 0, 0, 'nothing is left in the write-ahead log');
  assert.ok(statSync(join(newcomer.data, 'mynah.db')).size > 4096, 'the database file is complete');
}

async function restore(newcomer) {
  const key = firstKey(newcomer);
  rmSync(newcomer.data, { recursive: true });
  await newcomer.mynah(['restore', 'mynah.tar']);
  assert.equal(firstKey(newcomer), key);
}

/** In a network namespace with a loopback interface only; without permission for one, with unreachable registries. */
async function speakOffline(newcomer) {
  const { identity, clone, elsewhere, url } = newcomer;
  const namespace = ['--net', ...(process.getuid() === 0 ? [] : ['--map-root-user'])];
  const hasNamespace = spawnSync('unshare', [...namespace, 'ip', 'link', 'set', 'lo', 'up']).status === 0;
  const session = `
    npm start & server=$!
    until curl -sf "$URL/v1/health/ready" >/dev/null; do kill -0 $server || exit 9; sleep 0.3; done
    curl --fail-with-body -sS "$URL/v1/tts" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
      -d '{"text": "There is no network."}' --output offline.mp3
    status=$?
    kill -TERM $server
    wait $server
    exit $status`;
  const env = {
    URL: url,
    KEY: firstKey(newcomer),
    npm_config_registry: UNREACHABLE,
    MYNAH_HUB_URL: UNREACHABLE,
  };
  const drop = identity ? `setpriv --reuid=${identity.uid} --regid=${identity.gid} --clear-groups` : '';
  const [command, ...args] = hasNamespace
    ? ['unshare', ...namespace, 'bash', '-c', `ip link set lo up; exec ${drop} bash -c "$SESSION"`]
    : ['bash', '-c', session];
  await newcomer.run(command, args, {
    cwd: clone,
    env: { ...env, SESSION: session },
    asRoot: hasNamespace,
  });
  assertSpeech(join(clone, 'offline.mp3'));
  assert.deepEqual(readdirSync(elsewhere).sort(), ['hello.mp3', 'mynah.tar', 'said.mp3']);
  return hasNamespace ? 'network namespace' : 'unreachable registries';
}

/** As the guide of deployment says: clone, data and models. The npm cache belongs to npm. */
function uninstall(newcomer) {
  rmSync(newcomer.clone, { recursive: true });
  rmSync(join(newcomer.home, '.cache/mynah'), { recursive: true });
  assert.deepEqual(readdirSync(join(newcomer.home, '.cache')), []);
  assert.deepEqual(readdirSync(newcomer.home), ['.cache']);
  assert.deepEqual(readdirSync(newcomer.temporary), [], 'no temporary file is left');
}

/** The first request for speech in a text with commands: `curl` and its continued lines. */
function commandOf(text) {
  const command = /^ *curl [^\n]*\/v1\/tts(?:[^\n]*\\\n)*[^\n]*$/m.exec(text)?.[0];
  assert.ok(command, 'there is a command to paste');
  return command;
}

function assertSpeech(path) {
  const audio = readFileSync(path);
  assert.ok(audio.length > 4000, `${path} has ${audio.length} bytes`);
  assert.ok(audio.subarray(0, 3).toString('latin1') === 'ID3' || audio[0] === 0xff, `${path} is MP3`);
}

function firstKey({ data }) {
  return readFileSync(join(data, 'first-key'), 'utf8').trim();
}

async function createKey(newcomer, options = []) {
  const { stdout, stderr } = await newcomer.mynah([
    'keys',
    'create',
    '--name',
    'newcomer',
    '--json',
    ...options,
  ]);
  return { key: JSON.parse(stdout).key, stderr };
}

function speak({ url }, body, headers) {
  return fetch(`${url}/v1/tts`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}
