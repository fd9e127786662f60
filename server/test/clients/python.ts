import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ClientsServer } from './server.ts';
import { installPython } from './third-party-packages.ts';

const TESTS = fileURLToPath(new URL('../../../test/clients/python', import.meta.url));
const PACKAGES = ['fish-audio-sdk==1.3.0', 'openai==3.49.0', 'pytest==9.2.0'];

/** Tests of PyPI `fish-audio-sdk` and `openai` against a running server. */
export function testPython(server: () => ClientsServer): void {
  test('the Python clients of Fish Audio and OpenAI, and the calls of Home Assistant', async (t) => {
    const python = await installPython(t, PACKAGES);
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
    };
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--durations=5', TESTS];
    const { stdout } = await promisify(execFile)(python, args, { env }).catch((error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    });
    t.diagnostic(stdout.trim().split('\n').at(-1) ?? '');
    assert.doesNotMatch(stdout, /skipped/);
  });
}
