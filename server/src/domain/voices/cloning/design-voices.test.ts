import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';
import type { VoiceTargets } from '../design/described-voice.ts';
import type { DesigningContext } from './cloning-job.ts';
import { designVoices } from './design-voices.ts';

/**
 * Voices of four numbers: femininity, the logarithm of the pitch, melody, and how natural they sound. Their speech
 * measures as they are.
 */
const SPEAKERS = Array.from({ length: 80 }, (_, number) => {
  const isFemale = number % 2 === 0;
  const octaves = (isFemale ? Math.log2(190) : Math.log2(115)) + ((number >> 1) - 20) / 60;
  return Float32Array.of(
    isFemale ? 1 : -1,
    octaves,
    0.1 + ((number * 7) % 40) / 200,
    ((number * 13) % 80) / 20,
  );
});
const NATURAL = Float32Array.of(0, 0, 0, 0.5);
const traitsOf = ([femininity, octaves, melodyOctaves]: Float32Array): VoiceTraits => ({
  femininity: femininity!,
  pitchHz: 2 ** octaves!,
  melodyOctaves: melodyOctaves!,
  brightness: 0,
});

/** The engine gives back the numbers of the voice as sound, and speaks everybody too high by `miss` octaves. */
function contextWith({ miss = 0 } = {}): DesigningContext {
  return {
    speakers: async () => SPEAKERS,
    speakerTraits: async () => SPEAKERS.map(traitsOf),
    naturalnessSlope: async () => NATURAL,
    engine: async () => ({
      name: 'numbers',
      sampleRateHz: 16_000,
      async *speak(_sentence, voice) {
        if (voice.kind !== 'vector') throw new Error('Only vectors are spoken.');
        const [femininity, octaves, melody, natural] = voice.values;
        const samples = Float32Array.of(femininity!, octaves! + miss, melody!, natural!);
        yield { samples, sampleRateHz: 16_000 };
      },
    }),
    finder: async () => ({
      sampleRateHz: 16_000,
      measure: async (samples) => samples,
      aimFor: (recording) => recording,
      find: async (target) => target,
      correct: async (target, { vector, measures }) =>
        Float32Array.of(vector[0]!, vector[1]! + target[1]! - measures[1]!, vector[2]!, vector[3]!),
      tune: async (_target, { vector }) => vector,
      isInTune: () => true,
      melodyOf: traitsOf,
      distance: () => 0,
      likeness: () => 1,
      describe: () => ({}),
      genderOf: async (measures) => (measures[0]! > 0 ? 'female' : 'male'),
      traitsOf: async (measures) => traitsOf(measures),
      withPitch: (measures, pitchHz) =>
        Float32Array.of(measures[0]!, Math.log2(pitchHz), measures[2]!, measures[3]!),
    }),
  };
}

async function made(wish: VoiceTargets, { seed = 1, miss = 0, count = 4 } = {}) {
  const voices = [];
  const signal = new AbortController().signal;
  for await (const voice of designVoices(contextWith({ miss }), { wish, count, seed }, signal))
    voices.push(voice);
  return voices;
}
const pitches = (voices: Awaited<ReturnType<typeof made>>) =>
  voices.map(({ measures }) => measures.pitch_hz!);

test('all voices have the gender that was wished for, and no two are alike', async () => {
  for (const gender of ['female', 'male'] as const) {
    const voices = await made({ gender });
    assert.deepEqual(
      voices.map((voice) => voice.gender),
      Array(4).fill(gender),
    );
    assert.equal(new Set(voices.map(({ vector }) => String(vector))).size, 4);
  }
});

test('deep voices are lower than high ones, and both are of their gender', async () => {
  const deep = pitches(await made({ gender: 'female', pitch: -1.5 }));
  const high = pitches(await made({ gender: 'female', pitch: 1.5 }));
  assert.ok(Math.max(...deep) < 175 && Math.min(...high) > 205, `${deep} and ${high}`);
});

test('a pitch that is missed when the voice speaks is corrected', async () => {
  const wish = { gender: 'male', pitch: -2 } as const;
  for (const [index, pitch] of pitches(await made(wish, { miss: 0.5 })).entries()) {
    assert.ok(Math.abs(Math.log2(pitch / pitches(await made(wish))[index]!)) < 1 / 12);
  }
});

test('melody is that of speakers who have it', async () => {
  const melody = async (wished: number) =>
    (await made({ melody: wished })).reduce((sum, { measures }) => sum + measures.melody_octaves!, 0) / 4;
  assert.ok((await melody(1.5)) > (await melody(-1.5)) + 0.1);
});

test('a seed gives the same voices again', async () => {
  const vectors = async (seed: number) => (await made({ pitch: 1 }, { seed })).map(({ vector }) => vector);
  assert.deepEqual(await vectors(5), await vectors(5));
  assert.notDeepEqual(await vectors(5), await vectors(6));
});

test('voices sound more natural than the usual speaker, and still differ in that', async () => {
  const usual = SPEAKERS.reduce((sum, speaker) => sum + speaker[3]!, 0) / SPEAKERS.length;
  const heard = (await made({ gender: 'female' })).map(({ vector }) => vector[3]!);
  for (const natural of heard) assert.ok(natural >= usual, `${natural} against ${usual}`);
  assert.equal(new Set(heard).size, heard.length);
});

test('no wish at all gives voices too', async () => {
  assert.equal((await made({})).length, 4);
});
