import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPrimaryStress, addSecondaryStress, demotePrimaryStress, stressLetters } from './stress.ts';

test('an unstressed word gets a secondary stress on its first vowel, others are unchanged', () => {
  assert.equal(addSecondaryStress('ænd'), 'ˌænd');
  assert.equal(addSecondaryStress('fɹʌm'), 'fɹˌʌm');
  assert.equal(addSecondaryStress('kˈæt'), 'kˈæt');
  assert.equal(addSecondaryStress('hm'), 'hm');
});

test('a primary stress is added where missing', () => {
  assert.equal(addPrimaryStress('ænd'), 'ˈænd');
  assert.equal(addPrimaryStress('sˌO'), 'sˈO');
  assert.equal(addPrimaryStress('ˌOvəɹnˈIt'), 'ˌOvəɹnˈIt');
});

test('the weaker part of a compound keeps one secondary stress', () => {
  assert.equal(demotePrimaryStress('ˌOvəɹnˈIt'), 'Ovəɹnˌ'.concat('It'));
  assert.equal(demotePrimaryStress('ðə'), 'ðə');
});

test('letters stressed as one word have the primary stress on the last', () => {
  assert.deepEqual(stressLetters(['ˈɛf', 'bˈi', 'ˈI']), ['ˌɛf', 'bˌi', 'ˈI']);
  assert.deepEqual(stressLetters([]), []);
});
