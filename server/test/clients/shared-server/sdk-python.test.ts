import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { apiOperations } from '../../support/calls/api-operations.ts';
import { readSnippets } from '../../support/documents/readme-snippets.ts';
import { startTestServer } from '../../support/servers/http-server.ts';
import { skipWithout } from '../../support/servers/missing-program.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';
import { installNpm, installPythonLibrary } from '../third-party-packages.ts';

const LIBRARY = fileURLToPath(new URL('../../../../../sdk/python', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../../../../examples/python/first_speech.py', import.meta.url));
/** The type checker of most editors. */
const PYRIGHT = 'pyright@1.1.414';
const run = promisify(execFile);

/** Why the library cannot be installed here; undefined if it can. */
async function findMissing(): Promise<string | undefined> {
  try {
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']);
    return undefined;
  } catch {
    return 'Python 3.9 or newer is not installed.';
  }
}

const real = useRealServer();

test('the Python library passes its own tests and two type checks, and every snippet and example runs', async (t) => {
  const missing = await findMissing();
  if (missing !== undefined) return skipWithout('python', t, missing);
  const interpreter = await installPythonLibrary(t, LIBRARY);
  if (interpreter === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'mynah-python-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
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
  const tests = await run(interpreter, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], options);
  t.diagnostic(tests.stdout.trim().split('\n').at(-1) ?? '');
  // Kept beside the packages that it describes; mypy checks again what has changed.
  const mypyCache = join(dirname(interpreter), 'mypy-cache');
  const mypy = (args: string[], cwd: string) =>
    run(interpreter, ['-m', 'mypy', '--cache-dir', mypyCache, ...args], { ...options, cwd });
  await mypy([], LIBRARY);
  const packages = await installNpm(t, [PYRIGHT]);
  if (packages !== undefined) {
    // Strict, as the settings in pyproject.toml say.
    const python = ['--pythonpath', interpreter];
    await run(process.execPath, [join(packages, 'pyright/index.js'), '--project', LIBRARY, ...python]);
  }

  const snippets = await readSnippets(join(LIBRARY, 'README.md'), 'python');
  assert.ok(snippets.length >= 5);
  // As users see the installed library, from a folder of their own.
  const programs = snippets.map((_, index) => join(folder, `snippet_${index}.py`));
  await Promise.all(programs.map((path, index) => writeFile(path, snippets[index]!)));
  await mypy(['--strict', ...programs, EXAMPLE], folder);
  const python = (...args: string[]) =>
    run(interpreter, args, {
      cwd: folder,
      env: { ...process.env, MYNAH_API_KEY: real.key, MYNAH_BASE_URL: real.url },
      timeout: 300_000,
    });
  for (const snippet of snippets) await python('-c', snippet.replaceAll('http://127.0.0.1:8080', real.url));
  await python(EXAMPLE);
  assert.ok((await stat(join(folder, 'first-speech.mp3'))).size > 1000);
});
