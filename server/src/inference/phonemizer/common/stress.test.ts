import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demote, emphasize, lift, stressLetters } from './stress.ts';

test('a word without stress gets a secondary one on its first vowel, others stay', () => {
  assert.equal(lift('ænd'), 'ˌænd');
  assert.equal(lift('fɹʌm'), 'fɹˌʌm');
  assert.equal(lift('kˈæt'), 'kˈæt');
  assert.equal(lift('hm'), 'hm');
});

test('capitals give a primary stress', () => {
  assert.equal(emphasize('ænd'), 'ˈænd');
  assert.equal(emphasize('sˌO'), 'sˈO');
  assert.equal(emphasize('ˌOvəɹnˈIt'), 'ˌOvəɹnˈIt');
});

test('the lesser part of a compound keeps one secondary stress', () => {
  assert.equal(demote('ˌOvəɹnˈIt'), 'Ovəɹnˌ'.concat('It'));
  assert.equal(demote('ðə'), 'ðə');
});

test('letters said as one word carry the primary stress on the last', () => {
  assert.deepEqual(stressLetters(['ˈɛf', 'bˈi', 'ˈI']), ['ˌɛf', 'bˌi', 'ˈI']);
  assert.deepEqual(stressLetters([]), []);
});
