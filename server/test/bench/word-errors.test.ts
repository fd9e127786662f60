import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWordErrors } from '../../bench/word-errors.ts';

for (const { said, heard, errors } of [
  { said: 'The cat sat.', heard: 'the cat sat', errors: 0 },
  { said: 'the cat sat', heard: 'the bat sat down', errors: 2 },
  { said: 'the cat sat', heard: '', errors: 3 },
  { said: 'he was every where today', heard: 'he was everywhere to day', errors: 0 },
  { said: "don't go", heard: 'dont go', errors: 0 },
]) {
  test(`“${heard}” for “${said}” has ${errors} errors`, () => {
    assert.equal(countWordErrors(said, heard).errors, errors);
  });
}
