import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWordErrors } from '../../bench/word-errors.ts';

for (const { reference, transcript, errors } of [
  { reference: 'The cat sat.', transcript: 'the cat sat', errors: 0 },
  { reference: 'the cat sat', transcript: 'the bat sat down', errors: 2 },
  { reference: 'the cat sat', transcript: '', errors: 3 },
  { reference: 'he was every where today', transcript: 'he was everywhere to day', errors: 0 },
  { reference: "don't go", transcript: 'dont go', errors: 0 },
]) {
  test(`“${transcript}” for “${reference}” has ${errors} errors`, () => {
    assert.equal(countWordErrors(reference, transcript).errors, errors);
  });
}
