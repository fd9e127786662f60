import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { NEUTRAL_DELIVERY } from '../../engines/delivery.ts';
import { type ActedPiece, actPieces } from './cue-scope.ts';
import { CUES } from './cue-table.ts';
import { hasVocalSound } from './has-vocal-sound.ts';

function perform(text: string, chunkLength = 150): ActedPiece[] {
  const options = { language: 'en-US', normalize: true, minChunkLength: 50, cueStyle: 'both' } as const;
  return [...actPieces(textToPieces(text, { ...options, chunkLength }))];
}

/** The pitch of every word of a text, as `word:semitones`. */
function pitches(text: string, chunkLength?: number): string[] {
  return perform(text, chunkLength).flatMap(({ words, acting }) =>
    words.map((word, index) => {
      const { pitchSemitones } = acting?.utterance.deliveries?.[index] ?? NEUTRAL_DELIVERY;
      return `${word.text}:${pitchSemitones}`;
    }),
  );
}

const pitchOf = (name: string) => CUES.get(name)!.delivery!.pitchSemitones!;

test('a text without cues is not acted at all', () => {
  assert.ok(perform('One two. (Three four.) Five.').every(({ acting }) => acting === undefined));
});

test('an accent lasts to the end of its sentence, also across pieces, and beside an emotion', () => {
  const text =
    'One. [British accent] Two, two, two and two are eight, [sad] three! Four. [American accent] Five.';
  for (const chunkLength of [20, 150]) {
    const words = perform(text, chunkLength).flatMap(
      ({ words, acting }) => acting?.utterance.words ?? words,
    );
    const accents = words.map((word) => `${word.text}:${word.accent ?? ''}`);
    assert.deepEqual(
      accents.filter((accent) => !accent.endsWith(':')),
      [
        ...['Two', 'two', 'two', 'and', 'two', 'are', 'eight', 'three'].map((word) => `${word}:en-GB`),
        'Five:en-US',
      ],
    );
  }
});

test('an emotion lasts to the end of its sentence', () => {
  const happy = pitchOf('happy');
  assert.deepEqual(pitches('One. (happy) Two three! Four.'), [
    'One:0',
    `Two:${happy}`,
    `three:${happy}`,
    'Four:0',
  ]);
});

test('an emotion lasts to the next emotion, and a tone stays beside it', () => {
  const [sad, happy, low] = [pitchOf('sad'), pitchOf('happy'), pitchOf('low voice')];
  assert.deepEqual(pitches('[sad] one [low voice] two [happy] three.'), [
    `one:${sad}`,
    `two:${sad + low}`,
    `three:${happy + low}`,
  ]);
});

test('cues side by side add up', () => {
  const both = perform('(sad)(whispering) Good night.')[0]!.acting!.utterance.deliveries![0]!;
  assert.equal(both.breath, 1);
  assert.equal(both.pitchSemitones, pitchOf('sad'));
});

test('a sentence in several pieces is acted to its end', () => {
  const text = `(happy) ${'and so it went on for a long while, '.repeat(12)}until it stopped. Then silence.`;
  assert.ok(perform(text, 100).length > 3);
  const acted = pitches(text, 100);
  assert.ok(acted.slice(0, -2).every((word) => word.endsWith(`:${pitchOf('happy')}`)));
  assert.deepEqual(acted.slice(-2), ['Then:0', 'silence:0']);
});

test('emphasis acts on the next word alone', () => {
  assert.deepEqual(pitches('I said [emphasis] never again.'), [
    'I:0',
    'said:0',
    `never:${pitchOf('emphasis')}`,
    'again:0',
  ]);
});

test('intensity words make more or less of a cue', () => {
  assert.deepEqual(pitches('[slightly happy] Yes.'), [`Yes:${pitchOf('happy') / 2}`]);
});

test('a neutral voice can be asked for', () => {
  assert.deepEqual(pitches('[happy] one [neutral] two.'), [`one:${pitchOf('happy')}`, 'two:0']);
});

test('a break between words is inserted there, after a word said as before a comma', () => {
  const [{ acting }] = perform('I saw it (break) and ran.') as [ActedPiece];
  assert.deepEqual(acting!.utterance.insertions, [
    { wordIndex: 3, content: { kind: 'pause', seconds: CUES.get('break')!.pauseSeconds } },
  ]);
  assert.equal(acting!.utterance.words[2]!.after, ',');
  assert.equal(acting!.utterance.deliveries, undefined);
});

test('breaks at the ends of a piece are its leading and trailing pause', () => {
  const [{ acting }] = perform('(break) Wait. (long-break)') as [ActedPiece];
  assert.equal(acting!.leadingPauseSeconds, CUES.get('break')!.pauseSeconds);
  assert.equal(acting!.trailingPauseSeconds, CUES.get('long-break')!.pauseSeconds);
  assert.equal(acting!.utterance.insertions, undefined);
});

test('a sound is made where it stands, and colours the sentence', () => {
  const [{ acting }] = perform('That is [laughing] so funny.') as [ActedPiece];
  assert.deepEqual(acting!.utterance.insertions, [
    { wordIndex: 2, content: { kind: 'sound', sound: 'laugh', intensity: 1 } },
  ]);
  assert.deepEqual(pitches('That is [laughing] so funny. Yes.'), [
    'That:0',
    'is:0',
    `so:${pitchOf('laughing')}`,
    `funny:${pitchOf('laughing')}`,
    'Yes:0',
  ]);
});

test('directions of the mark-up join the cues', () => {
  const [piece] = perform('[happy] Well said.') as [ActedPiece];
  const words = piece.words.map((word) => ({ ...word, direction: { pitchSemitones: -2, rate: 0.5 } }));
  const [performed] = [...actPieces([{ ...piece, words }])];
  const [delivery] = performed!.acting!.utterance.deliveries!;
  assert.equal(delivery!.pitchSemitones, pitchOf('happy') - 2);
  assert.ok(Math.abs(delivery!.rate - CUES.get('happy')!.delivery!.rate! / 2) < 1e-9);
});

test('however a text is cut into pieces, its words are said the same way', () => {
  const token = fc.oneof(
    fc.constantFrom('one', 'two', 'three', 'four,', 'five.', 'six!', 'seven;'),
    fc.constantFrom(...[...CUES.keys()].map((name) => `[${name}]`)),
  );
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 60 }), (tokens) => {
      const text = tokens.join(' ');
      assert.deepEqual(pitches(text, 100), pitches(text, 300));
    }),
    { numRuns: 200 },
  );
});

test('each word of a performed piece has its delivery, and insertions are in order', () => {
  const token = fc.constantFrom('one', 'two.', 'three', '[sad]', '[break]', '[laughing]', '[emphasis]');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      for (const { words, acting } of perform(tokens.join(' '))) {
        const { deliveries, insertions = [], ...script } = acting?.utterance ?? { words };
        assert.equal(script.words.length, words.length);
        if (deliveries) assert.equal(deliveries.length, words.length);
        const places = insertions.map(({ wordIndex }) => wordIndex);
        assert.deepEqual(
          places,
          [...places].sort((a, b) => a - b),
        );
        assert.ok(places.every((place) => place >= 0 && place <= words.length));
      }
    }),
    { numRuns: 200 },
  );
});

test('a text of cues alone sounds when one of them is a sound', () => {
  assert.ok(hasVocalSound('(happy) [laughing nervously]'));
  assert.ok(!hasVocalSound('(happy) (break) [unknown]'));
});
