import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ClientsServer } from './server.ts';
import { installPython } from './third-party-packages.ts';

const TESTS = fileURLToPath(new URL('../../../test/clients/python', import.meta.url));
const CLI = fileURLToPath(new URL('../../bundle/cli.js', import.meta.url));
const PACKAGES = ['fish-audio-sdk==1.3.0', 'openai==3.49.0', 'pytest==9.2.0', 'wyoming==1.10.2'];

/** A Python with these packages; undefined when they cannot be installed. */
export function installThirdPartyPython(t: TestContext): Promise<string | undefined> {
  return installPython(t, PACKAGES);
}

/** Starts `mynah wyoming` in front of the server, and resolves with its address. */
async function startWyoming(t: TestContext, { url, key }: ClientsServer): Promise<string> {
  const args = [CLI, 'wyoming', '--server', url, '--key', key, '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  let output = '';
  // The stream stays open: the command ends when its standard output is closed.
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const address = /tcp:\S+/.exec(output)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`mynah wyoming ended: ${output}`)));
  });
}

/** Tests of PyPI `fish-audio-sdk`, `openai` and `wyoming` against a running server. */
export function testPython(server: () => ClientsServer): void {
  test('the Python clients of Fish Audio, OpenAI and Wyoming, and the calls of Home Assistant', async (t) => {
    const python = await installThirdPartyPython(t);
    if (python === undefined) return;
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      MYNAH_TEST_URL: server().url,
      MYNAH_TEST_KEY: server().key,
      MYNAH_TEST_KEY_WITHOUT_CREDIT: server().keyWithoutCredit,
      MYNAH_TEST_LIMITED_KEY: server().limitedKey,
      MYNAH_TEST_SENTENCE: server().sentencePath,
      MYNAH_TEST_STORY: server().storyPath,
      MYNAH_TEST_WYOMING: await startWyoming(t, server()),
    };
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--durations=5', TESTS];
    const { stdout } = await promisify(execFile)(python, args, { env }).catch((error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    });
    t.diagnostic(stdout.trim().split('\n').at(-1) ?? '');
    assert.doesNotMatch(stdout, /skipped/);
  });
}
