import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError, loadConfig, optionOf } from './config.ts';
import { SETTINGS } from './settings.ts';
import { describeSettings, settingsHelp } from './settings-reference.ts';
import { sharedSettingsOf } from './shared-settings.ts';

test('by default the server listens on port 8080 of the loopback interface', () => {
  const { config, warnings } = loadConfig({ HOME: '/home/ada' });
  assert.equal(config.port, 8080);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.dataFolder, resolve('data'));
  assert.equal(config.modelsFolder, '/home/ada/.cache/mynah/models');
  assert.deepEqual(config.modelSources, ['npm', 'hub', 'pip']);
  assert.deepEqual(warnings, []);
});

test('the model cache is below XDG_CACHE_HOME when that is set', () => {
  assert.equal(loadConfig({ XDG_CACHE_HOME: '/cache' }).config.modelsFolder, '/cache/mynah/models');
});

test('options take precedence over variables, variables over the file, the file over the defaults', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-config-'));
  try {
    const path = join(folder, 'settings.json');
    await writeFile(
      path,
      JSON.stringify({ PORT: 1, MYNAH_WORKERS: 2, MYNAH_QUEUE_MAX: 3, MYNAH_CORS_ORIGINS: ['a'] }),
    );
    const { config } = loadConfig({ MYNAH_CONFIG: path, PORT: '4', MYNAH_WORKERS: '5' }, [
      '--port',
      '6',
      '--drain-seconds=7',
    ]);
    assert.equal(config.port, 6);
    assert.equal(config.workers, 5);
    assert.equal(config.queueMax, 3);
    assert.equal(config.drainSeconds, 7);
    assert.equal(config.textMaxChars, 200_000);
    assert.deepEqual(config.corsOrigins, ['a']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an unknown option is reported without its value', () => {
  const problemsOf = (...argv: string[]) => {
    try {
      loadConfig({}, argv);
      return [];
    } catch (error) {
      return (error as Error).message
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(':')[0]);
    }
  };
  assert.deepEqual(problemsOf('--prot', '1', '--port', '0'), ['--prot']);
  assert.deepEqual(problemsOf('--prot=1', '--tail', '--port', '0'), ['--prot', '--tail']);
  assert.deepEqual(problemsOf('stray', 'again', '--port', '0'), ['stray', 'again']);
});

test('an empty variable counts as not set', () => {
  assert.equal(loadConfig({ PORT: '', MYNAH_CONFIG: '' }).config.port, 8080);
});

test('the address of a bucket has an endpoint, and may have a prefix and a region', () => {
  const parse = (url: string) => loadConfig({ MYNAH_FILES_URL: url }).config.filesUrl;
  assert.deepEqual(parse('s3://voices?endpoint=http://127.0.0.1:9000'), {
    bucket: 'voices',
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    prefix: '',
  });
  assert.deepEqual(parse('s3://voices/a/b/?region=eu-1&endpoint=https%3A%2F%2Fs3.example.com%2F'), {
    bucket: 'voices',
    endpoint: 'https://s3.example.com',
    region: 'eu-1',
    prefix: 'a/b/',
  });
  for (const bad of [
    's3://voices',
    's3://?endpoint=https://x',
    'https://voices?endpoint=https://x',
    's3://Voices_1?endpoint=https://x',
    's3://voices?endpoint=ftp://x',
    's3://user@voices?endpoint=https://x',
    's3://voices/a b?endpoint=https://x',
  ]) {
    assert.throws(() => parse(bad), ConfigError, bad);
  }
});

test('settings that must agree are compared by value and contain no secret', () => {
  const secrets = { MYNAH_FILES_ACCESS_KEY: 'hidden', MYNAH_FILES_SECRET_KEY: 'hidden' };
  const of = (env: Record<string, string>) => sharedSettingsOf(loadConfig({ ...secrets, ...env }).config);
  const one = of({ MYNAH_FILES_URL: 's3://voices?endpoint=http://10.0.0.1' });
  assert.deepEqual(of({ MYNAH_FILES_URL: 's3://voices?endpoint=http://10.0.0.2', PORT: '1' }), one);
  assert.notEqual(of({ MYNAH_PRICES: '{"tts":{"*":1}}' }).MYNAH_PRICES, one.MYNAH_PRICES);
  assert.equal(
    of({ MYNAH_FILES_URL: 's3://other?endpoint=http://10.0.0.1' }).MYNAH_SOCKETS_MAX,
    one.MYNAH_SOCKETS_MAX,
  );
  assert.doesNotMatch(JSON.stringify(one), /hidden/);
});

test('one error message lists every invalid setting', () => {
  const bad = {
    PORT: 'x',
    MYNAH_QUEUE_MAX: '0',
    MYNAH_THREADS: '1.5',
    MYNAH_MODEL_SOURCES: 'npm,ftp',
    MYNAH_PUBLIC_VOICES: 'maybe',
    MYNAH_WIRE_MODELS: '{',
    MYNAH_HUB_URL: 'ftp://hub',
    MYNAH_LOG_LEVEL: 'loud',
    MYNAH_CONFIG: '/nowhere/settings.json',
  };
  assert.throws(
    () => loadConfig(bad, ['--colour', 'red', '--host']),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      const named = [
        ...Object.keys(bad).filter((name) => name !== 'MYNAH_CONFIG'),
        '/nowhere/settings.json',
        '--colour',
        '--host',
      ];
      for (const name of named)
        assert.ok(error.message.includes(`  ${name}: `), `${name} in ${error.message}`);
      return true;
    },
  );
});

test('an unknown variable with the prefix MYNAH_ causes a warning, another one does not', () => {
  const { warnings } = loadConfig({ MYNAH_PROT: '1', EDITOR: 'ed' });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /MYNAH_PROT/);
});

test('a secret setting is hidden in every text form', () => {
  const { config } = loadConfig({ MYNAH_HUB_TOKEN: 'hf_topsecret' });
  assert.equal(config.hubToken?.reveal(), 'hf_topsecret');
  for (const shown of [inspect(config), JSON.stringify(config), `${config.hubToken}`]) {
    assert.doesNotMatch(shown, /topsecret/);
  }
});

const BOOLEAN_WORDS = [
  ['true', true],
  ['1', true],
  ['YES', true],
  ['off', false],
  ['0', false],
] as const;
for (const [word, expected] of BOOLEAN_WORDS) {
  test(`${word} is parsed as ${expected}`, () => {
    assert.equal(loadConfig({ MYNAH_PUBLIC_VOICES: word }).config.publicVoices, expected);
  });
}

test('every setting has a description and its allowed values, and help lists all settings', () => {
  const described = describeSettings();
  assert.equal(described.length, Object.keys(SETTINGS).length, 'every setting is in one group');
  const help = settingsHelp();
  for (const { env, option, description, allowed } of described) {
    assert.ok(description.endsWith('.'), `the description of ${env} is a sentence`);
    assert.notEqual(allowed, '');
    assert.equal(option, optionOf(env));
    assert.ok(help.includes(env));
  }
  for (const line of help.split('\n'))
    assert.ok(line.length <= 100 || !line.trim().includes(' '), `the line is wrapped: ${line}`);
  assert.equal(described.find(({ env }) => env === 'PORT')?.defaultValue, '8080');
  assert.equal(described.find(({ env }) => env === 'PORT')?.allowed, 'whole number, 0 to 65535');
});

test('no two settings share a variable or an option', () => {
  const described = describeSettings();
  assert.equal(new Set(described.map(({ env }) => env)).size, described.length);
  assert.equal(new Set(described.map(({ option }) => option)).size, described.length);
});

test('a deprecated name works as variable, option and key of the config file, with a warning', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-config-'));
  try {
    const path = join(folder, 'settings.json');
    await writeFile(path, JSON.stringify({ MYNAH_HEARING_THREADS: 3 }));
    const { config, warnings } = loadConfig({ MYNAH_CONFIG: path, MYNAH_RECORDING_ENGINES: 'pocket-tts' }, [
      '--hearing-workers',
      '2',
    ]);
    assert.equal(config.transcriptionThreads, 3);
    assert.deepEqual(config.zeroShotEngines, ['pocket-tts']);
    assert.equal(config.transcriptionWorkers, 2);
    assert.equal(warnings.length, 3);
    for (const [deprecated, current] of [
      ['--hearing-workers', '--transcription-workers'],
      ['MYNAH_RECORDING_ENGINES', 'MYNAH_ZERO_SHOT_ENGINES'],
      ['MYNAH_HEARING_THREADS', 'MYNAH_TRANSCRIPTION_THREADS'],
    ]) {
      assert.equal(
        warnings.filter((text) => text.includes(`${deprecated} `) && text.includes(current!)).length,
        1,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('within a source the current name of a setting wins; between sources their order decides', () => {
  const both = { MYNAH_HEARING_WORKERS: '2', MYNAH_TRANSCRIPTION_WORKERS: '3' };
  assert.equal(loadConfig(both).config.transcriptionWorkers, 3);
  const option = loadConfig({ MYNAH_TRANSCRIPTION_WORKERS: '3' }, ['--hearing-workers=4']);
  assert.equal(option.config.transcriptionWorkers, 4);
  assert.throws(() => loadConfig({ MYNAH_HEARING_WORKERS: 'x' }), /MYNAH_HEARING_WORKERS: /);
});

test('every deprecated name belongs to one setting and is not the name of another', () => {
  const described = describeSettings();
  const names = described.flatMap(({ env, deprecatedNames }) => [env, ...deprecatedNames]);
  assert.equal(new Set(names).size, names.length);
});

test('trusted proxies are addresses, subnets and names of private ranges', () => {
  const ranges = ['loopback', '127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'];
  assert.deepEqual(loadConfig({ MYNAH_TRUST_PROXY: ranges.join(', ') }).config.trustProxy, ranges);
  for (const wrong of ['true', 'proxy.local', '10.0.0.0/33', '::1/129', '10.0.0.0/', '1.2.3']) {
    assert.throws(() => loadConfig({ MYNAH_TRUST_PROXY: wrong }), ConfigError, wrong);
  }
});
