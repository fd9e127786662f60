import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pythonWith } from './foreign-packages.ts';
import type { ClientsServer } from './server.ts';

const TESTS = fileURLToPath(new URL('../../../test/clients/python', import.meta.url));
const PACKAGES = ['fish-audio-sdk==1.3.0', 'openai==3.49.0', 'pytest==9.2.0'];

/** What people do with PyPI `fish-audio-sdk` and `openai`, on a running server(). */
export function testPython(server: () => ClientsServer): void {
  test('Fish Audio’s and OpenAI’s own Python clients, and Home Assistant’s calls, get what they expect', async (t) => {
    const python = await pythonWith(t, PACKAGES);
    if (python === undefined) return;
    const env = {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      MYNAH_TEST_URL: server().url,
      MYNAH_TEST_KEY: server().key,
      MYNAH_TEST_POOR_KEY: server().poorKey,
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
