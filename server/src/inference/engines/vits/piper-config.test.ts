import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownLanguage, parsePiperConfig } from './piper-config.ts';

const WHOLE = {
  audio: { sample_rate: 22050, quality: 'medium' },
  espeak: { voice: 'pt-br' },
  language: { code: 'pt_BR' },
  inference: { noise_scale: 0.4, length_scale: 1.1, noise_w: 0.5 },
  phoneme_type: 'espeak',
  phoneme_id_map: { _: [0], '^': [1], $: [2], a: [3, 4] },
  num_speakers: 2,
  speaker_id_map: { ana: 0, rui: 1 },
};

test('a configuration written by Piper is parsed', () => {
  assert.deepEqual(parsePiperConfig(JSON.stringify(WHOLE)), {
    sampleRateHz: 22050,
    phonemeType: 'espeak',
    espeakVoice: 'pt-br',
    language: 'pt-BR',
    languageTag: 'pt-BR',
    symbolIds: new Map([
      ['_', [0]],
      ['^', [1]],
      ['$', [2]],
      ['a', [3, 4]],
    ]),
    speakerRows: new Map([
      ['ana', 0],
      ['rui', 1],
    ]),
    noiseScale: 0.4,
    lengthScale: 1.1,
    durationNoiseScale: 0.5,
  });
});

test('an old configuration without language, scales and speakers gets Piper’s defaults', () => {
  const { audio, phoneme_id_map } = WHOLE;
  const config = parsePiperConfig(JSON.stringify({ audio, phoneme_id_map, espeak: { voice: 'de' } }));
  assert.deepEqual(
    [config.languageTag, config.language, config.noiseScale, config.lengthScale, config.durationNoiseScale],
    ['de', undefined, 0.667, 1, 0.8],
  );
  assert.equal(config.speakerRows.size, 0);
});

const REFUSED: readonly { what: string; json: string; message: RegExp }[] = [
  { what: 'no JSON', json: 'sample_rate: 22050', message: /not valid JSON/ },
  { what: 'a list', json: '[]', message: /not an object/ },
  { what: 'no rate', json: changed({ audio: {} }), message: /"audio.sample_rate" is not a number/ },
  { what: 'an absurd rate', json: changed({ audio: { sample_rate: 7 } }), message: /is 7; it should be/ },
  { what: 'other phonemes', json: changed({ phoneme_type: 'pinyin' }), message: /"pinyin"; only/ },
  {
    what: 'no symbols',
    json: changed({ phoneme_id_map: undefined }),
    message: /"phoneme_id_map" is missing/,
  },
  { what: 'no pad', json: changed({ phoneme_id_map: { '^': [1], $: [2] } }), message: /no id for "_"/ },
  {
    what: 'ids that are no list',
    json: changed({ phoneme_id_map: { _: 0 } }),
    message: /list of ids for "_"/,
  },
];
for (const { what, json, message } of REFUSED) {
  test(`a configuration with ${what} is rejected with an explanation`, () => {
    assert.throws(() => parsePiperConfig(json), { message });
  });
}

test('tags and espeak names map to supported languages', () => {
  const cases = {
    'en-us': 'en-US',
    en_GB: 'en-GB',
    'en-gb-x-rp': 'en-GB',
    en: 'en-US',
    'es-419': 'es',
  } as const;
  for (const [tag, language] of Object.entries(cases)) assert.equal(knownLanguage(tag), language);
  for (const tag of ['de', 'pt-PT', '']) assert.equal(knownLanguage(tag), undefined);
  assert.equal(knownLanguage('cmn'), 'zh');
});

function changed(changes: Record<string, unknown>): string {
  return JSON.stringify({ ...WHOLE, ...changes });
}
