import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary, SpokenWord } from '../../text/piece.ts';
import { listKokoroVoices } from '../voices/catalogue/kokoro-voices.ts';
import { pauseAfterPiece, TYPICAL_PAUSES } from './piece-pause.ts';

const VOICE: Parameters<typeof pauseAfterPiece>[1] = { pauses: TYPICAL_PAUSES, language: 'en-US' };

/** Words of five letters; the last one has the punctuation. */
function wordsWith(count: number, after: string): SpokenWord[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ text: 'words', start: 0, end: 5, before: '' },
    after: index === count - 1 ? after : '',
  }));
}

const pause = (count: number, after: string, boundary: Boundary, voice = VOICE) =>
  pauseAfterPiece({ words: wordsWith(count, after), boundary }, voice);

test('the pause depends on the boundary: phrase, clause, sentence, paragraph', () => {
  const seconds = [
    pause(9, ',', 'phrase'),
    pause(9, ',', 'clause'),
    pause(9, '.', 'sentence'),
    pause(9, '.', 'paragraph'),
  ];
  assert.deepEqual(
    seconds,
    seconds.toSorted((one, two) => one - two),
  );
  assert.ok(seconds[3]! - seconds[2]! > 0.3, 'a paragraph is clearly longer than a sentence');
});

test('the pause depends on the punctuation, also within quotation marks', () => {
  assert.ok(pause(9, ',', 'clause') < pause(9, ';', 'clause'));
  assert.ok(pause(9, '!', 'sentence') < pause(9, '.', 'sentence'));
  assert.equal(pause(9, '?”', 'sentence'), pause(9, '?', 'sentence'));
});

test('a short clause has a short pause, but not none', () => {
  assert.ok(pause(1, '.', 'sentence') < 0.5 * pause(9, '.', 'sentence'));
  assert.ok(pause(1, ',', 'clause') > 0.05);
  const words = [...wordsWith(20, ','), ...wordsWith(1, '.')];
  assert.equal(
    pauseAfterPiece({ words, boundary: 'sentence' }, VOICE),
    pause(1, '.', 'sentence'),
    'only the words since the preceding punctuation count',
  );
});

test('a longer clause lengthens the pause of every voice by as much', () => {
  const difference = (pauses: typeof TYPICAL_PAUSES) =>
    pause(12, '.', 'sentence', { ...VOICE, pauses }) - pause(6, '.', 'sentence', { ...VOICE, pauses });
  const [short, long] = [
    { sentence: 0.3, clause: 0.2 },
    { sentence: 1.2, clause: 1 },
  ].map(difference);
  assert.ok(Math.abs(short! - long!) < 1e-9);
  assert.ok(short! > 0.08);
});

test('the pause is longer before more words', () => {
  const before = (count: number) =>
    pauseAfterPiece({ words: wordsWith(9, '.'), boundary: 'sentence' }, VOICE, wordsWith(count, '.'));
  assert.ok(before(12) > before(6) + 0.05);
  assert.ok(before(12) < before(6) + 0.1);
  assert.equal(before(1), before(3), 'very few words have no further effect');
  assert.equal(before(20), before(30), 'nor have very many');
  const unknown = pause(9, '.', 'sentence');
  assert.ok(before(3) < unknown && unknown < before(20));
});

test('the pause after a heading does not depend on its length', () => {
  assert.equal(pause(1, '.', 'paragraph'), pause(20, '.', 'paragraph'));
});

test('every English voice of Kokoro has measured pauses', () => {
  for (const { name, language, pauses } of listKokoroVoices()) {
    if (!language.startsWith('en-')) continue;
    assert.ok(pauses !== undefined && pauses.clause < pauses.sentence, name);
  }
});
