import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';
import type { VoiceTargets } from '../design/voice-description.ts';
import type { DesignContext } from './cloning-job.ts';
import { designVoices } from './design-voices.ts';

/** Speaker vectors of four values: femininity, log2 of the pitch, pitch range, naturalness. The measures equal the vector. */
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
const traitsOf = ([femininity, octaves, rangeOctaves]: Float32Array): VoiceTraits => ({
  femininity: femininity!,
  pitchHz: 2 ** octaves!,
  pitchRangeOctaves: rangeOctaves!,
  brightness: 0,
});

/** The engine returns the vector as samples, with the pitch raised by `pitchError` octaves. */
function createTestContext({ pitchError = 0 } = {}): DesignContext {
  return {
    speakers: async () => SPEAKERS,
    speakerTraits: async () => SPEAKERS.map(traitsOf),
    naturalnessGradient: async () => NATURAL,
    engine: async () => ({
      name: 'numbers',
      sampleRateHz: 16_000,
      async *speak(_sentence, voice) {
        if (voice.kind !== 'vector') throw new Error('The test engine accepts vectors only.');
        const [femininity, octaves, range, natural] = voice.values;
        const samples = Float32Array.of(femininity!, octaves! + pitchError, range!, natural!);
        yield { samples, sampleRateHz: 16_000 };
      },
    }),
    encoder: async () => ({
      sampleRateHz: 16_000,
      measure: async (samples) => samples,
      targetFor: (recording) => recording,
      predictVector: async (target) => target,
      refineVector: async (target, { vector, measures }) =>
        Float32Array.of(vector[0]!, vector[1]! + target[1]! - measures[1]!, vector[2]!, vector[3]!),
      matchPitch: async (_target, { vector }) => vector,
      hasSamePitch: () => true,
      pitchOf: traitsOf,
      distance: () => 0,
      similarity: () => 1,
      describe: () => ({}),
      genderOf: async (measures) => (measures[0]! > 0 ? 'female' : 'male'),
      traitsOf: async (measures) => traitsOf(measures),
      withPitch: (measures, pitchHz) =>
        Float32Array.of(measures[0]!, Math.log2(pitchHz), measures[2]!, measures[3]!),
    }),
  };
}

async function design(targets: VoiceTargets, { seed = 1, pitchError = 0, count = 4 } = {}) {
  const voices = [];
  const signal = new AbortController().signal;
  for await (const voice of designVoices(createTestContext({ pitchError }), { targets, count, seed }, signal))
    voices.push(voice);
  return voices;
}
const pitches = (voices: Awaited<ReturnType<typeof design>>) =>
  voices.map(({ measures }) => measures.pitch_hz!);

test('all voices have the target gender, and they are distinct', async () => {
  for (const gender of ['female', 'male'] as const) {
    const voices = await design({ gender });
    assert.deepEqual(
      voices.map((voice) => voice.gender),
      Array(4).fill(gender),
    );
    assert.equal(new Set(voices.map(({ vector }) => String(vector))).size, 4);
  }
});

test('voices with a low target pitch are lower than those with a high one', async () => {
  const deep = pitches(await design({ gender: 'female', pitch: -1.5 }));
  const high = pitches(await design({ gender: 'female', pitch: 1.5 }));
  assert.ok(Math.max(...deep) < 175 && Math.min(...high) > 205, `${deep} and ${high}`);
});

test('a pitch error of the trial is corrected', async () => {
  const targets = { gender: 'male', pitch: -2 } as const;
  for (const [index, pitch] of pitches(await design(targets, { pitchError: 0.5 })).entries()) {
    assert.ok(Math.abs(Math.log2(pitch / pitches(await design(targets))[index]!)) < 1 / 12);
  }
});

test('the pitch range follows its target', async () => {
  const meanRange = async (pitchRange: number) =>
    (await design({ pitchRange })).reduce((sum, { measures }) => sum + measures.melody_octaves!, 0) / 4;
  assert.ok((await meanRange(1.5)) > (await meanRange(-1.5)) + 0.1);
});

test('equal seeds give equal voices', async () => {
  const vectors = async (seed: number) => (await design({ pitch: 1 }, { seed })).map(({ vector }) => vector);
  assert.deepEqual(await vectors(5), await vectors(5));
  assert.notDeepEqual(await vectors(5), await vectors(6));
});

test('the naturalness of the voices is above the mean of the speakers, and varies', async () => {
  const mean = SPEAKERS.reduce((sum, speaker) => sum + speaker[3]!, 0) / SPEAKERS.length;
  const values = (await design({ gender: 'female' })).map(({ vector }) => vector[3]!);
  for (const value of values) assert.ok(value >= mean, `${value} against ${mean}`);
  assert.equal(new Set(values).size, values.length);
});

test('without targets there are voices too', async () => {
  assert.equal((await design({})).length, 4);
});
