import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../../errors.ts';
import { voiceId } from '../voice.ts';
import { listKokoroVoices } from './kokoro-voices.ts';
import { parseLanguage } from './language-tags.ts';
import { createNumberedVoices } from './numbered-voices.ts';
import { createVoiceCatalogue, editDistance, requireVoice } from './voice-catalogue.ts';

const SPEAKERS = [
  { speaker: 123, name: 'Clara', gender: 'female', description: 'Warm and calm.', loudnessLufs: -20 },
  { speaker: 7, name: 'Hugo', gender: 'male', description: 'Deep and slow.', loudnessLufs: -21 },
] as const;
const LIBRITTS = {
  engine: 'vits',
  prefix: 'libritts',
  speakerCount: 904,
  language: 'en-US',
  publishedAtMs: 0,
  typicalLoudnessLufs: -22,
} as const;
const catalogue = createVoiceCatalogue([...listKokoroVoices(), ...createNumberedVoices(LIBRITTS, SPEAKERS)]);

test('Kokoro has 54 voices in nine languages, the default voice first', () => {
  const voices = listKokoroVoices();
  assert.equal(voices.length, 54);
  assert.equal(new Set(voices.flatMap((voice) => voice.language)).size, 9);
  assert.equal(voices[0]?.name, 'af_heart');
  assert.equal(voices[0]?.title, 'Heart');
  assert.match(voices[0]?.description ?? '', /^American English, female\./);
});

test('ids are 32 hex digits, unique, and never change', () => {
  const ids = listKokoroVoices().map((voice) => voice.id);
  assert.equal(new Set(ids).size, 54);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(voiceId('kokoro', 'af_heart'), 'e002957ed02853bc2a50efaf3347706c');
});

const RESOLVED = [
  ['af_heart', 'af_heart'],
  ['AF_Heart ', 'af_heart'],
  ['e002957ed02853bc2a50efaf3347706c', 'af_heart'],
  ['Heart', 'af_heart'],
  ['libritts-123', 'libritts-123'],
  ['clara', 'libritts-123'],
  ['libritts-903', 'libritts-903'],
  [voiceId('vits', 'libritts-500'), 'libritts-500'],
  ['libritts-904', undefined],
  ['libritts-07', undefined],
  ['santa', undefined],
  ['', undefined],
] as const;
for (const [given, expected] of RESOLVED) {
  test(`“${given}” names ${expected ?? 'no voice'}`, () =>
    assert.equal(catalogue.resolve(given)?.name, expected));
}

test('the catalogue has all numbered speakers, but lists only the named ones', () => {
  const listed = catalogue.list().filter((voice) => voice.engine === 'vits');
  assert.deepEqual(
    listed.map((voice) => voice.title),
    ['Clara', 'Hugo'],
  );
  assert.equal(catalogue.resolve('libritts-0')?.gender, 'unknown');
  assert.equal(catalogue.resolve('libritts-7')?.engineVoice, '7');
});

test('two voices with the same name are an error', () => {
  assert.throws(() => createVoiceCatalogue([...listKokoroVoices(), ...listKokoroVoices()]), /share/);
});

test('an unknown voice is refused with the expected message and similar names', () => {
  assert.throws(
    () => requireVoice(catalogue, 'af_hart'),
    (error) =>
      error instanceof ApiError &&
      error.code === 'voice_not_found' &&
      error.message === 'Reference not found. Did you mean `af_heart`?',
  );
  assert.throws(() => requireVoice(catalogue, 'x'.repeat(1000)), /^ApiError: Reference not found$/);
});

test('the edit distance is a metric', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      assert.equal(editDistance(a, a), 0);
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.ok(editDistance(a, c) <= editDistance(a, b) + editDistance(b, c));
      assert.ok(editDistance(a, b) >= Math.abs(a.length - b.length));
    }),
    { numRuns: 200 },
  );
  assert.equal(editDistance('kitten', 'sitting'), 3);
});

const LANGUAGE_TAGS = [
  ['en', 'en-US'],
  ['EN-gb', 'en-GB'],
  ['en_AU', 'en-US'],
  ['pt', 'pt-BR'],
  ['zh-Hans-CN', 'zh'],
] as const;
for (const [tag, language] of LANGUAGE_TAGS) {
  test(`the language tag ${tag} means ${language}`, () => assert.equal(parseLanguage(tag), language));
}

test('a long language tag is read up to a limit', () => {
  assert.equal(parseLanguage(`en${'-a'.repeat(4_000_000)}`), 'en-US');
});

test('an unknown language is refused', () => {
  assert.throws(
    () => parseLanguage('tlh'),
    (error) => error instanceof ApiError && error.code === 'language_not_supported',
  );
});
