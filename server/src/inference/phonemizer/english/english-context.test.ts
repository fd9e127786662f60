import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '../../../../test/support/phonemizer/phonemizer-words.ts';
import { guessTag, type Tag } from './english-context.ts';

/** Asterisks mark the tagged word. */
const SENTENCES: readonly [string, Tag | undefined][] = [
  ['They will *record* it.', 'VERB'],
  ['a new *record*', 'NOUN'],
  ['They often *record* songs.', 'VERB'],
  ['He *records* the songs.', 'VERB'],
  ['two world *records*', 'NOUN'],
  ['to *present* the results', 'VERB'],
  ['the *present* situation', 'ADJ'],
  ['I don’t *object* to that.', 'VERB'],
  ['an *object* of art', 'NOUN'],
  ['The *live* show starts.', 'ADJ'],
  ['We *live* in Paris.', 'VERB'],
  ['People *live* here.', 'VERB'],
  ['Mr O’Connor *lives* at home.', 'VERB'],
  ['They saved many *lives*.', 'NOUN'],
  ['*Close* the door.', 'VERB'],
  ['It is *close* to home.', 'ADJ'],
  ['They live *close* to us.', undefined],
  ['a *minute* ago', 'NOUN'],
  ['a *minute* detail', 'ADJ'],
  ['a bridge that nobody *uses*', 'VERB'],
  ['no *use* at all', 'NOUN'],
  ['enough *produce* to eat', 'NOUN'],
  ['I have *read* it.', 'VBN'],
  ['She *read* it yesterday.', 'VBD'],
  ['Did you *read* it?', 'VERB'],
  ['*Read* this page.', 'VERB'],
  ['We *read* every day.', 'VERB'],
  ['He *used* to go.', 'VBD'],
  ['It is *used* to make glass.', undefined],
  ['She is *used* to it.', 'VBD'],
  ['I like *that*.', 'DT'],
  ['He said *that* he knew.', undefined],
  ['*That* is all.', 'DT'],
];

for (const [sentence, tag] of SENTENCES) {
  test(`"${sentence}" is tagged as ${tag ?? 'the default'}`, () => {
    const index = wordsOf(sentence.slice(0, sentence.indexOf('*'))).length;
    assert.equal(guessTag(wordsOf(sentence.replaceAll('*', '')), index), tag);
  });
}

test('punctuation limits the context', () => {
  assert.equal(guessTag(wordsOf('I want to. Record labels are here'), 3), 'NOUN');
});
