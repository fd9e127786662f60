import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SpeechPart } from '../../engines/tts-engine.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import { cloneVoice } from './clone-voice.ts';
import type { CloningContext } from './cloning-job.ts';
import { mixVoice } from './mix-voice.ts';
import { FIRST_TRIAL_SENTENCES, PITCH_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

const RATE_HZ = 16_000;

/**
 * A cloning context in which a voice is one number and its speech a constant signal with that value plus `error`. A
 * refinement removes the share `step` of the difference, divided by `caution`. A pitch adjustment removes all of it, for
 * differences above `tolerance`.
 */
function createTestContext(options: {
  readonly error: number;
  readonly step: number;
  readonly tolerance?: number;
}) {
  const spoken: string[] = [];
  const adjustedWith: (number | undefined)[] = [];
  const encoder: VoiceEncoder = {
    sampleRateHz: RATE_HZ,
    measure: async (samples) => Float32Array.of(samples[Math.floor(samples.length / 2)]!),
    targetFor: (recording) => recording,
    predictVector: async (target) => target,
    refineVector: async (target, trial, caution) => {
      return Float32Array.of(trial.vector[0]! + ((target[0]! - trial.measures[0]!) * options.step) / caution);
    },
    matchPitch: async (target, trial, other) => {
      adjustedWith.push(other?.vector[0]);
      return Float32Array.of(trial.vector[0]! + target[0]! - trial.measures[0]!);
    },
    hasSamePitch: (measures, target) =>
      Math.abs(measures[0]! - target[0]!) <= (options.tolerance ?? Infinity),
    pitchOf: (measures) => ({ pitchHz: measures[0]!, pitchRangeOctaves: 0 }),
    similarity: (a, b) => 1 - Math.abs(a[0]! - b[0]!),
    distance: (measures, target) => Math.abs(measures[0]! - target[0]!),
    describe: (measures, target) => ({ distance: Math.abs(measures[0]! - target[0]!) }),
    genderOf: async () => 'female',
  };
  const context: CloningContext = {
    encoder: async () => encoder,
    speakers: async () => [Float32Array.of(0.2), Float32Array.of(0.6)],
    engine: async () => ({
      name: 'tiny',
      sampleRateHz: RATE_HZ,
      async *speak(sentence, voice, signal): AsyncGenerator<SpeechPart> {
        signal.throwIfAborted();
        spoken.push(sentence);
        const value = voice.kind === 'vector' ? voice.values[0]! + options.error : 0;
        yield { samples: new Float32Array(RATE_HZ / 2).fill(value), sampleRateHz: RATE_HZ };
      },
    }),
  };
  return { context, spoken, adjustedWith };
}

const CLIPS = [new Float32Array(RATE_HZ).fill(0.5)];

async function voicesOf(context: CloningContext, from?: Float32Array, signal = new AbortController().signal) {
  const voices = [];
  for await (const voice of cloneVoice(context, { clips: CLIPS, from }, signal)) voices.push(voice);
  return voices;
}

describe('cloning a voice', () => {
  test('the first voice is corrected by the error of its trial', async () => {
    const [voice, ...more] = await voicesOf(createTestContext({ error: 0.1, step: 1 }).context);
    assert.equal(more.length, 0);
    assert.ok(Math.abs(voice!.vector[0]! - 0.4) < 1e-6);
    assert.equal(voice!.engine, 'tiny');
    assert.equal(voice!.gender, 'female');
    assert.ok(Number.isFinite(voice!.loudnessLufs));
  });

  test('speech of two speakers is refused; a short outburst or a small variation is not', async () => {
    const { context } = createTestContext({ error: 0, step: 1 });
    const clipsOf = (...values: number[]) => values.map((h) => new Float32Array(3 * RATE_HZ).fill(h));
    const signal = new AbortController().signal;
    for (const [values, isRefused] of [
      [[0.9, 0.2, 0.9, 0.2], true],
      [[0.9, 0.9, 0.9, 0.1], true],
      [[0.9, 0.25, 0.9, 0.25], true],
      [[0.9, 0.35, 0.9, 0.35], false],
      // Two segments vary more.
      [[0.9, 0.1], true],
      [[0.9, 0.25], false],
      [[0.5, 0.6, 0.8, 0.7], false],
      [[0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1], false],
    ] as const) {
      const found = cloneVoice(context, { clips: clipsOf(...values) }, signal).next();
      if (isRefused) await assert.rejects(found, { code: 'unusable_recording', message: /several_speakers/ });
      else assert.ok(!(await found).done);
    }
  });

  test('the first voice is that of the nearest trial', async () => {
    const [voice] = await voicesOf(createTestContext({ error: 0.1, step: 3 }).context);
    assert.ok(Math.abs(voice!.vector[0]! - 0.5) < 1e-6, `${voice!.vector[0]}`);
    assert.ok(Math.abs(voice!.measures.distance! - 0.1) < 1e-6);
  });

  for (const from of [undefined, Float32Array.of(0.5)]) {
    test(`a ${from === undefined ? 'first' : 'refined'} voice with a wrong pitch is adjusted`, async () => {
      const { context } = createTestContext({ error: 0.1, step: 0, tolerance: 0.05 });
      const voice = (await voicesOf(context, from)).at(-1);
      assert.ok(Math.abs(voice!.vector[0]! - 0.4) < 1e-6, `${voice!.vector[0]}`);
    });
  }

  test('the pitch adjustment uses both trials', async () => {
    const { context, adjustedWith } = createTestContext({ error: 0.1, step: 3, tolerance: 0.05 });
    await voicesOf(context);
    assert.deepEqual(
      adjustedWith.map((other) => other?.toFixed(3)),
      ['0.200'],
    );
  });

  test('refinement yields voices with decreasing distance', async () => {
    const voices = await voicesOf(createTestContext({ error: 0.1, step: 0.5 }).context, Float32Array.of(0.2));
    assert.ok(voices.length >= 3);
    const distances = voices.map(({ measures }) => measures.distance!);
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => b - a),
    );
    assert.ok(distances.at(-1)! < 0.02);
  });

  test('a step that overshoots is followed by a smaller one', async () => {
    const voices = await voicesOf(createTestContext({ error: 0, step: 2.5 }).context, Float32Array.of(0.3));
    assert.ok(voices.length > 0);
    assert.ok(voices.at(-1)!.measures.distance! < 0.1);
  });

  test('refinement without improvement ends with the same voice and its pitch measured on more sentences', async () => {
    const { context, spoken } = createTestContext({ error: 0, step: 0 });
    const voices = await voicesOf(context, Float32Array.of(0.4));
    assert.deepEqual(
      voices.map(({ vector, pitchCorrection }) => [...vector, pitchCorrection?.pitchFactor]),
      [[Math.fround(0.4), 0.5 / Math.fround(0.4)]],
    );
    assert.equal(spoken.length, 3 * TRIAL_SENTENCES.length + PITCH_SENTENCES.length);
    assert.equal(new Set(spoken).size, TRIAL_SENTENCES.length + PITCH_SENTENCES.length);
  });

  for (const [miss, sentences] of [
    [0.005, FIRST_TRIAL_SENTENCES],
    [0.1, TRIAL_SENTENCES.length],
  ] as const) {
    test(`a first voice with an error of ${miss} is measured on ${sentences} sentences, and the remaining error is corrected`, async () => {
      const { context, spoken } = createTestContext({ error: miss, step: 0 });
      const [voice] = await voicesOf(context);
      assert.equal(new Set(spoken).size, sentences);
      const expected = miss === 0.1 ? 0.5 / 0.6 : 1;
      assert.ok(Math.abs((voice!.pitchCorrection?.pitchFactor ?? 1) - expected) < 1e-6);
    });
  }

  test('at most 60 seconds of speech are analysed', async () => {
    const { context } = createTestContext({ error: 0, step: 1 });
    const encoder = await context.encoder();
    let longest = 0;
    const counting: CloningContext = {
      ...context,
      encoder: async () => ({
        ...encoder,
        measure: (samples) => {
          longest = Math.max(longest, samples.length);
          return encoder.measure(samples);
        },
      }),
    };
    const clips = [new Float32Array(50 * RATE_HZ).fill(0.5), new Float32Array(50 * RATE_HZ).fill(0.5)];
    for await (const _ of cloneVoice(counting, { clips }, new AbortController().signal));
    assert.equal(longest, 60 * RATE_HZ);
  });

  test('an abort ends the cloning', async () => {
    const { context } = createTestContext({ error: 0, step: 1 });
    await assert.rejects(voicesOf(context, undefined, AbortSignal.abort(new Error('enough'))), /enough/);
  });
});

describe('mixing voices', () => {
  test('a mixed voice is the weighted mean of its voices, and is measured once', async () => {
    const { context, spoken } = createTestContext({ error: 0, step: 1 });
    const parts = [
      { engine: 'vits', voice: 0, weight: 3 },
      { engine: 'vits', voice: Float32Array.of(1), weight: 1 },
    ];
    const mixed = await mixVoice(context, parts, new AbortController().signal);
    assert.ok(Math.abs(mixed.vector[0]! - 0.4) < 1e-6, `${mixed.vector[0]}`);
    assert.equal(mixed.gender, 'female');
    assert.equal(mixed.engine, 'tiny');
    assert.equal(new Set(spoken).size, spoken.length);
    assert.ok(spoken.length > 0);
  });

  test('the pitch correction of a mixed voice is the weighted mean of those of its voices, around its own pitch', async () => {
    const { context } = createTestContext({ error: 0, step: 1 });
    const pitchCorrection = { middleHz: 100, pitchFactor: 1.21, range: 0.6 };
    const parts = [
      { engine: 'vits', voice: 0, weight: 1 },
      { engine: 'vits', voice: Float32Array.of(1), weight: 1, pitchCorrection },
    ];
    const mixed = await mixVoice(context, parts, new AbortController().signal);
    assert.ok(Math.abs(mixed.pitchCorrection!.pitchFactor - 1.1) < 1e-9);
    assert.ok(Math.abs(mixed.pitchCorrection!.range - 0.8) < 1e-9);
    assert.notEqual(mixed.pitchCorrection!.middleHz, 100);
    const plain = await mixVoice(context, parts.slice(0, 1), new AbortController().signal);
    assert.equal(plain.pitchCorrection, undefined);
  });

  test('an unknown speaker is refused', async () => {
    const { context } = createTestContext({ error: 0, step: 1 });
    const parts = [{ engine: 'vits', voice: 7, weight: 1 }];
    await assert.rejects(mixVoice(context, parts, new AbortController().signal), /no speaker 7/);
  });
});
