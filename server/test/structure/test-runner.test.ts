import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPTS = fileURLToPath(new URL('../../../../scripts/', import.meta.url));

interface Job {
  readonly name: string;
  readonly lane: string;
  readonly seconds?: number;
}

interface Schedule {
  chooseNext(state: {
    readonly waiting: readonly Job[];
    readonly running: readonly Job[];
    readonly lanes: typeof LANES;
    readonly slots: number;
    readonly memoryGb: number;
  }): Job | undefined;
  dealOut(files: readonly string[], processes: number): string[][];
  filesToRetry(files: readonly string[], failedFiles: readonly string[]): string[];
}

interface Lanes {
  groupOf(job: { readonly lane: string; readonly file: string }): string | undefined;
}

interface Temporary {
  isUsable(folder: string, minBytes: number): boolean;
  removeAbandoned(parent: string): void;
}

const LANES = {
  small: { parallel: true, memoryGb: 1, fileSeconds: 4 },
  large: { parallel: true, memoryGb: 3, fileSeconds: 20 },
  chain: { memoryGb: 1, fileSeconds: 20 },
} as const;

let schedule: Schedule;
let lanes: Lanes;
let temporary: Temporary;
before(async () => {
  schedule = await import(`file://${join(SCRIPTS, 'test-schedule.mjs')}`);
  lanes = await import(`file://${join(SCRIPTS, 'test-lanes.mjs')}`);
  temporary = await import(`file://${join(SCRIPTS, 'test-temporary.mjs')}`);
});

describe('the order of test files', () => {
  const next = (waiting: Job[], running: Job[] = [], limits = {}) =>
    schedule.chooseNext({ waiting, running, lanes: LANES, slots: 2, memoryGb: 5, ...limits })?.name;

  test('the longest file runs first', () => {
    const files = [
      { name: 'short', lane: 'small', seconds: 6 },
      { name: 'unknown', lane: 'small' },
      { name: 'long', lane: 'small', seconds: 60 },
    ];
    assert.equal(next(files), 'long');
    assert.equal(next(files.slice(0, 2)), 'short');
    assert.equal(next([...files.slice(0, 2), { name: 'new', lane: 'large' }]), 'new');
  });

  test('files that must run one after the other count together', () => {
    const chain = ['a', 'b', 'c'].map((name) => ({ name, lane: 'chain', seconds: 25 }));
    assert.equal(next([{ name: 'long', lane: 'small', seconds: 60 }, ...chain]), 'a');
    assert.equal(next(chain.slice(1), chain.slice(0, 1)), undefined);
  });

  test('files that need more memory than there is do not run at the same time', () => {
    const large = { name: 'large', lane: 'large', seconds: 60 };
    const small = { name: 'small', lane: 'small', seconds: 5 };
    assert.equal(next([large, small], [{ ...large, name: 'running' }]), 'small');
    assert.equal(next([large, small], [{ ...large, name: 'running' }], { memoryGb: 8 }), 'large');
    assert.equal(next([large], [], { memoryGb: 1 }), 'large', 'alone it runs on any machine');
  });

  test('no more files run than there are slots', () => {
    const job = { name: 'job', lane: 'small' };
    assert.equal(next([job], [job, job]), undefined);
  });
});

test('unit test files are dealt out to processes, each to one', () => {
  const dealt = schedule.dealOut(['a', 'b', 'c', 'd', 'e'], 2);
  assert.deepEqual(dealt, [
    ['a', 'c', 'e'],
    ['b', 'd'],
  ]);
  assert.deepEqual(schedule.dealOut(['a'], 8), [['a']]);
  assert.deepEqual(schedule.dealOut([], 8), []);
});

test('files of some lanes, and files that use one real server, share processes', () => {
  const groupOf = (lane: string, path: string) => lanes.groupOf({ lane, file: join('/dist', path) });
  assert.equal(groupOf('unit', 'src/audio/wav.test.js'), 'unit');
  assert.equal(groupOf('http', 'test/http/speech/speech.test.js'), 'http');
  assert.equal(groupOf('engines', 'test/engines/shared-server/watermark.test.js'), 'engines/shared-server');
  assert.equal(groupOf('engines', 'test/engines/speech-faults.test.js'), undefined);
  assert.equal(
    groupOf('engines', 'src/inference/engines/kokoro/kokoro-stock.engine-test.js'),
    'engine-tests',
  );
});

test('only files with a failed test run again, and all if the failure has no file', () => {
  const files = ['dist/src/a.test.js', 'dist/src/b.test.js', 'dist/src/c.test.js'];
  assert.deepEqual(schedule.filesToRetry(files, ['/repository/src/b.test.ts']), [files[1]]);
  assert.deepEqual(schedule.filesToRetry(files, ['/repository/src/contract.ts']), files);
  assert.deepEqual(schedule.filesToRetry(files, ['/repository/src/b.test.ts', '/repository/x.ts']), files);
  assert.deepEqual(schedule.filesToRetry(files, []), files);
});

describe('the temporary folder of a run', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mynah-runner-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  test('a folder without enough space, or that does not exist, is not used', () => {
    assert.equal(temporary.isUsable(folder, 1), true);
    assert.equal(temporary.isUsable(folder, Number.MAX_SAFE_INTEGER), false);
    assert.equal(temporary.isUsable(join(folder, 'missing'), 1), false);
    assert.deepEqual(readdirSync(folder), [], 'the probe is removed');
  });

  test('folders of crashed runs are removed, those of running ones are not', (t) => {
    if (!existsSync('/proc/self/ns/pid')) return t.skip('no PID namespaces');
    const namespace = readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const kept = [`mynah-test-${namespace}-${process.pid}-a`, `mynah-test-1-${ended}-b`, 'other'];
    for (const name of [...kept, `mynah-test-${namespace}-${ended}-c`]) mkdirSync(join(folder, name));
    temporary.removeAbandoned(folder);
    assert.deepEqual(readdirSync(folder).sort(), kept.sort());
  });
});
