import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { explain } from './expected-errors.ts';

const MISSING = join(tmpdir(), 'mynah-missing', 'speech.mp3.part');

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('no error'),
    (error: unknown) => error,
  );
}

test('a file problem names the file, or the folder that is missing', async () => {
  const file = join(tmpdir(), 'mynah-missing.wav');
  assert.equal(explain(await failureOf(readFile(file))), `${file} does not exist.`);
  assert.equal(
    explain(await failureOf(readFile(tmpdir()))),
    'EISDIR: illegal operation on a directory, read',
  );
  const folder = join(tmpdir(), 'mynah-missing');
  assert.equal(explain(await failureOf(writeFile(MISSING, ''))), `The folder ${folder} does not exist.`);
});

test('an unexpected error is thrown again', () => {
  const error = new TypeError('a defect');
  assert.throws(() => explain(error), error);
});
