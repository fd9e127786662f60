import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import { NEUTRAL_DELIVERY } from '../../engines/delivery.ts';
import { type ActedPiece, actPieces } from './cue-scope.ts';
import { CUES } from './cue-table.ts';
import { hasVocalSound } from './has-vocal-sound.ts';

function act(text: string, chunkLength = 150): ActedPiece[] {
  const options = { language: 'en-US', normalize: true, minChunkLength: 50, cueStyle: 'both' } as const;
  return [...actPieces(textToPieces(text, { ...options, chunkLength }))];
}

/** The pitch of every word of a text, as `word:semitones`. */
function pitches(text: string, chunkLength?: number): string[] {
  return act(text, chunkLength).flatMap(({ words, acting }) =>
    words.map((word, index) => {
      const { pitchSemitones } = acting?.utterance.deliveries?.[index] ?? NEUTRAL_DELIVERY;
      return `${word.text}:${pitchSemitones}`;
    }),
  );
}

const pitchOf = (name: string) => CUES.get(name)!.delivery!.pitchSemitones!;

test('a text without cues has no acting plan', () => {
  assert.ok(act('One two. (Three four.) Five.').every(({ acting }) => acting === undefined));
});

test('an accent lasts to the end of its sentence, across pieces and in combination with an emotion', () => {
  const text =
    'One. [British accent] Two, two, two and two are eight, [sad] three! Four. [American accent] Five.';
  for (const chunkLength of [20, 150]) {
    const words = act(text, chunkLength).flatMap(({ words, acting }) => acting?.utterance.words ?? words);
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

test('an emotion lasts until the next emotion, independently of a tone', () => {
  const [sad, happy, low] = [pitchOf('sad'), pitchOf('happy'), pitchOf('low voice')];
  assert.deepEqual(pitches('[sad] one [low voice] two [happy] three.'), [
    `one:${sad}`,
    `two:${sad + low}`,
    `three:${happy + low}`,
  ]);
});

test('adjacent cues are combined', () => {
  const both = act('(sad)(whispering) Good night.')[0]!.acting!.utterance.deliveries![0]!;
  assert.equal(both.breath, 1);
  assert.equal(both.pitchSemitones, pitchOf('sad'));
});

test('an emotion applies to all pieces of its sentence', () => {
  const text = `(happy) ${'and so it went on for a long while, '.repeat(12)}until it stopped. Then silence.`;
  assert.ok(act(text, 100).length > 3);
  const acted = pitches(text, 100);
  assert.ok(acted.slice(0, -2).every((word) => word.endsWith(`:${pitchOf('happy')}`)));
  assert.deepEqual(acted.slice(-2), ['Then:0', 'silence:0']);
});

test('emphasis applies to the next word only', () => {
  assert.deepEqual(pitches('I said [emphasis] never again.'), [
    'I:0',
    'said:0',
    `never:${pitchOf('emphasis')}`,
    'again:0',
  ]);
});

test('degree adverbs scale a cue', () => {
  assert.deepEqual(pitches('[slightly happy] Yes.'), [`Yes:${pitchOf('happy') / 2}`]);
});

test('[neutral] resets the delivery', () => {
  assert.deepEqual(pitches('[happy] one [neutral] two.'), [`one:${pitchOf('happy')}`, 'two:0']);
});

test('a break between words is inserted at its position, with a comma on the word before it', () => {
  const [{ acting }] = act('I saw it (break) and ran.') as [ActedPiece];
  assert.deepEqual(acting!.utterance.insertions, [
    { wordIndex: 3, content: { kind: 'pause', seconds: CUES.get('break')!.pauseSeconds } },
  ]);
  assert.equal(acting!.utterance.words[2]!.after, ',');
  assert.equal(acting!.utterance.deliveries, undefined);
});

test('breaks at the ends of a piece become its leading and trailing pause', () => {
  const [{ acting }] = act('(break) Wait. (long-break)') as [ActedPiece];
  assert.equal(acting!.leadingPauseSeconds, CUES.get('break')!.pauseSeconds);
  assert.equal(acting!.trailingPauseSeconds, CUES.get('long-break')!.pauseSeconds);
  assert.equal(acting!.utterance.insertions, undefined);
});

test('a vocal sound is inserted at its position, and its delivery lasts to the end of the sentence', () => {
  const [{ acting }] = act('That is [laughing] so funny.') as [ActedPiece];
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

test('SSML prosody is combined with the cues', () => {
  const [piece] = act('[happy] Well said.') as [ActedPiece];
  const words = piece.words.map((word) => ({ ...word, prosody: { pitchSemitones: -2, rate: 0.5 } }));
  const [acted] = [...actPieces([{ ...piece, words }])];
  const [delivery] = acted!.acting!.utterance.deliveries!;
  assert.equal(delivery!.pitchSemitones, pitchOf('happy') - 2);
  assert.ok(Math.abs(delivery!.rate - CUES.get('happy')!.delivery!.rate! / 2) < 1e-9);
});

test('the delivery of a word does not depend on the division into pieces', () => {
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

test('an acted piece has one delivery per word, and its insertions are in order', () => {
  const token = fc.constantFrom('one', 'two.', 'three', '[sad]', '[break]', '[laughing]', '[emphasis]');
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      for (const { words, acting } of act(tokens.join(' '))) {
        const { deliveries, insertions = [], ...script } = acting?.utterance ?? { words };
        assert.equal(script.words.length, words.length);
        if (deliveries) assert.equal(deliveries.length, words.length);
        const wordIndices = insertions.map(({ wordIndex }) => wordIndex);
        assert.deepEqual(
          wordIndices,
          [...wordIndices].sort((a, b) => a - b),
        );
        assert.ok(wordIndices.every((wordIndex) => wordIndex >= 0 && wordIndex <= words.length));
      }
    }),
    { numRuns: 200 },
  );
});

test('a text of cues only has a vocal sound if one of them is a sound cue', () => {
  assert.ok(hasVocalSound('(happy) [laughing nervously]'));
  assert.ok(!hasVocalSound('(happy) (break) [unknown]'));
});

test('silence is limited per piece and per text', () => {
  const limits = { pieceSilenceMaxSeconds: 60, silenceMaxSeconds: 100 };
  const options = {
    language: 'en-US',
    normalize: true,
    minChunkLength: 50,
    cueStyle: 'both',
    chunkLength: 150,
    ssml: { limits: { ssmlDepthMax: 8, ssmlBreakMaxSeconds: 10 } },
  } as const;
  const breaks = '<break time="10s"/>'.repeat(1000);
  for (const text of [
    `${'[long pause]'.repeat(1000)}One. ${'[long pause]'.repeat(1000)}Two.${'[long pause]'.repeat(1000)}`,
    `<speak>${breaks}<p>One.</p>${breaks}<p>Two.</p>${breaks}</speak>`,
  ]) {
    const silences = [...actPieces(textToPieces(text, options), limits)].map(({ acting }) => {
      const inside = acting?.utterance.insertions ?? [];
      return (
        (acting?.leadingPauseSeconds ?? 0) +
        (acting?.trailingPauseSeconds ?? 0) +
        inside.reduce((sum, { content }) => sum + (content.kind === 'pause' ? content.seconds : 0), 0)
      );
    });
    assert.ok(
      silences.every((seconds) => seconds <= 60.001),
      `${silences}`,
    );
    const total = silences.reduce((sum, seconds) => sum + seconds, 0);
    assert.ok(total > 99 && total < 100.001, `${total} s`);
  }
});

test('a piece has a limited number of vocal sounds', () => {
  const [acted] = act(`${'(laughing)'.repeat(500)} One.`);
  assert.equal(acted?.acting?.utterance.insertions?.length, 20);
});
