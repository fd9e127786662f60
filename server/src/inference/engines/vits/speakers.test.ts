import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPEAKERS } from './speakers.ts';

test('thirty speakers are listed, half of them female, with unique names', () => {
  assert.equal(SPEAKERS.length, 30);
  assert.equal(SPEAKERS.filter(({ gender }) => gender === 'female').length, 15);
  assert.equal(new Set(SPEAKERS.map(({ name }) => name)).size, 30);
  assert.equal(new Set(SPEAKERS.map(({ speaker }) => speaker)).size, 30);
  assert.ok(SPEAKERS.every(({ speaker }) => Number.isInteger(speaker) && speaker >= 0 && speaker < 904));
});

test('every listed speaker meets the selection criteria', () => {
  for (const { gender, pitchHz, naturalness, wordErrorRate, name } of SPEAKERS) {
    assert.ok(gender === 'male' ? pitchHz < 155 : pitchHz > 165, name);
    assert.ok(naturalness >= 4.2 && wordErrorRate <= 0.04, name);
  }
});
