import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { apiOperations } from '../support/api-operations.ts';
import { startTestServer } from '../support/http-server.ts';
import { skipWithout } from '../support/missing-program.ts';
import { readSnippets } from '../support/readme-snippets.ts';
import { startRealServer } from '../support/real-server.ts';
import { installNpm } from './third-party-packages.ts';

const LIBRARY = fileURLToPath(new URL('../../../../sdk/python', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../../../examples/python/first_speech.py', import.meta.url));
/** The type checker of most editors. */
const PYRIGHT = 'pyright@1.1.414';
const run = promisify(execFile);

/** A Python of its own with the library and its test tools, or why there is none. */
async function makeEnvironment(folder: string): Promise<{ bin: string } | { missing: string }> {
  try {
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']);
  } catch {
    return { missing: 'Python 3.9 or newer is not installed.' };
  }
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '--quiet', `${LIBRARY}[test]`]);
  } catch (error) {
    return {
      missing: `The packages of the Python library cannot be installed: ${String(error).slice(0, 300)}`,
    };
  }
  return { bin: join(folder, 'bin') };
}

test('the Python library passes its own tests and two type checks, and every snippet and example runs', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-python-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const environment = await makeEnvironment(join(folder, 'venv'));
  if ('missing' in environment) {
    return skipWithout('python', t, environment.missing);
  }
  const server = await startTestServer();
  t.after(() => server.close());
  const operations = (await apiOperations()).map(({ isInLibraries, ...operation }) => ({
    ...operation,
    is_for_us: isInLibraries,
  }));
  const env = {
    ...process.env,
    MYNAH_TEST_URL: server.url,
    MYNAH_TEST_KEY: server.key,
    MYNAH_TEST_OPERATIONS: JSON.stringify(operations),
  };
  const options = { cwd: LIBRARY, env };
  const tests = await run(join(environment.bin, 'pytest'), ['-q', '-p', 'no:cacheprovider'], options);
  t.diagnostic(tests.stdout.trim().split('\n').at(-1) ?? '');
  const mypy = (args: string[], cwd: string) =>
    run(join(environment.bin, 'mypy'), ['--cache-dir', join(folder, 'mypy'), ...args], { ...options, cwd });
  await mypy([], LIBRARY);
  const packages = await installNpm(t, [PYRIGHT]);
  if (packages !== undefined) {
    // Strict, as the settings in pyproject.toml say.
    const python = ['--pythonpath', join(environment.bin, 'python')];
    await run(process.execPath, [join(packages, 'pyright/index.js'), '--project', LIBRARY, ...python]);
  }

  const real = await startRealServer();
  t.after(() => real.close());
  const snippets = await readSnippets(join(LIBRARY, 'README.md'), 'python');
  assert.ok(snippets.length >= 5);
  // As users see the installed library, from a folder of their own.
  const programs = snippets.map((_, index) => join(folder, `snippet_${index}.py`));
  await Promise.all(programs.map((path, index) => writeFile(path, snippets[index]!)));
  await mypy(['--strict', ...programs, EXAMPLE], folder);
  const python = (...args: string[]) =>
    run(join(environment.bin, 'python'), args, {
      cwd: folder,
      env: { ...process.env, MYNAH_API_KEY: real.key, MYNAH_BASE_URL: real.url },
      timeout: 300_000,
    });
  for (const snippet of snippets) await python('-c', snippet.replaceAll('http://127.0.0.1:8080', real.url));
  await python(EXAMPLE);
  assert.ok((await stat(join(folder, 'first-speech.mp3'))).size > 1000);
});
