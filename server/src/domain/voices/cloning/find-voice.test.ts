import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SpeechPart } from '../../engines/tts-engine.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import type { CloningContext } from './cloning-job.ts';
import { findVoice } from './find-voice.ts';
import { mixVoice } from './mix-voice.ts';
import { FIRST_TRIAL_SENTENCES, LONG_TALK_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

const RATE_HZ = 16_000;

/**
 * A world in which a voice is one number and its speech a constant of that height, except that the engine
 * always comes out `miss` higher than asked for. A correction goes `reach` of the way, less with caution. Tuning
 * goes all of it, for voices further off than `tolerance`.
 */
function tinyWorld(world: { readonly miss: number; readonly reach: number; readonly tolerance?: number }) {
  const spoken: string[] = [];
  const tunedWith: (number | undefined)[] = [];
  const finder: VoiceEncoder = {
    sampleRateHz: RATE_HZ,
    measure: async (samples) => Float32Array.of(samples[Math.floor(samples.length / 2)]!),
    aimFor: (recording) => recording,
    find: async (target) => target,
    correct: async (target, trial, caution) => {
      return Float32Array.of(trial.vector[0]! + ((target[0]! - trial.measures[0]!) * world.reach) / caution);
    },
    tune: async (target, trial, other) => {
      tunedWith.push(other?.vector[0]);
      return Float32Array.of(trial.vector[0]! + target[0]! - trial.measures[0]!);
    },
    isInTune: (measures, target) => Math.abs(measures[0]! - target[0]!) <= (world.tolerance ?? Infinity),
    melodyOf: (measures) => ({ pitchHz: measures[0]!, melodyOctaves: 0 }),
    likeness: (a, b) => 1 - Math.abs(a[0]! - b[0]!),
    distance: (measures, target) => Math.abs(measures[0]! - target[0]!),
    describe: (measures, target) => ({ distance: Math.abs(measures[0]! - target[0]!) }),
    genderOf: async () => 'female',
  };
  const context: CloningContext = {
    finder: async () => finder,
    speakers: async () => [Float32Array.of(0.2), Float32Array.of(0.6)],
    engine: async () => ({
      name: 'tiny',
      sampleRateHz: RATE_HZ,
      async *speak(sentence, voice, signal): AsyncGenerator<SpeechPart> {
        signal.throwIfAborted();
        spoken.push(sentence);
        const height = voice.kind === 'vector' ? voice.values[0]! + world.miss : 0;
        yield { samples: new Float32Array(RATE_HZ / 2).fill(height), sampleRateHz: RATE_HZ };
      },
    }),
  };
  return { context, spoken, tunedWith };
}

const CLIPS = [new Float32Array(RATE_HZ).fill(0.5)];

async function voicesOf(context: CloningContext, from?: Float32Array, signal = new AbortController().signal) {
  const voices = [];
  for await (const voice of findVoice(context, { clips: CLIPS, from }, signal)) voices.push(voice);
  return voices;
}

describe('finding a voice', () => {
  test('a first voice makes up for what its trial missed', async () => {
    const [voice, ...more] = await voicesOf(tinyWorld({ miss: 0.1, reach: 1 }).context);
    assert.equal(more.length, 0);
    assert.ok(Math.abs(voice!.vector[0]! - 0.4) < 1e-6);
    assert.equal(voice!.engine, 'tiny');
    assert.equal(voice!.gender, 'female');
    assert.ok(Number.isFinite(voice!.loudnessLufs));
  });

  test('speech of two people is refused; an outburst, or a voice that moves a little, is not', async () => {
    const { context } = tinyWorld({ miss: 0, reach: 1 });
    const clipsOf = (...heights: number[]) => heights.map((h) => new Float32Array(3 * RATE_HZ).fill(h));
    const signal = new AbortController().signal;
    for (const [heights, isRefused] of [
      [[0.9, 0.2, 0.9, 0.2], true],
      [[0.9, 0.9, 0.9, 0.1], true],
      [[0.5, 0.6, 0.8, 0.7], false],
      [[0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1], false],
    ] as const) {
      const found = findVoice(context, { clips: clipsOf(...heights) }, signal).next();
      if (isRefused) await assert.rejects(found, { code: 'unusable_recording', message: /several_speakers/ });
      else assert.ok(!(await found).done);
    }
  });

  test('a first voice is the one of its trials that came nearest', async () => {
    const [voice] = await voicesOf(tinyWorld({ miss: 0.1, reach: 3 }).context);
    assert.ok(Math.abs(voice!.vector[0]! - 0.5) < 1e-6, `${voice!.vector[0]}`);
    assert.ok(Math.abs(voice!.measures.distance! - 0.1) < 1e-6);
  });

  for (const from of [undefined, Float32Array.of(0.5)]) {
    test(`a ${from === undefined ? 'first' : 'refined'} voice that is out of tune is tuned`, async () => {
      const { context } = tinyWorld({ miss: 0.1, reach: 0, tolerance: 0.05 });
      const voice = (await voicesOf(context, from)).at(-1);
      assert.ok(Math.abs(voice!.vector[0]! - 0.4) < 1e-6, `${voice!.vector[0]}`);
    });
  }

  test('a voice is tuned by both of the trials there are', async () => {
    const { context, tunedWith } = tinyWorld({ miss: 0.1, reach: 3, tolerance: 0.05 });
    await voicesOf(context);
    assert.deepEqual(
      tunedWith.map((other) => other?.toFixed(3)),
      ['0.200'],
    );
  });

  test('refining yields voices that come closer each time', async () => {
    const voices = await voicesOf(tinyWorld({ miss: 0.1, reach: 0.5 }).context, Float32Array.of(0.2));
    assert.ok(voices.length >= 3);
    const distances = voices.map(({ measures }) => measures.distance!);
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => b - a),
    );
    assert.ok(distances.at(-1)! < 0.02);
  });

  test('steps that go too far are followed by more cautious ones', async () => {
    const voices = await voicesOf(tinyWorld({ miss: 0, reach: 2.5 }).context, Float32Array.of(0.3));
    assert.ok(voices.length > 0);
    assert.ok(voices.at(-1)!.measures.distance! < 0.1);
  });

  test('refining ends when nothing helps, with the same voice and its pitch by a longer talk', async () => {
    const { context, spoken } = tinyWorld({ miss: 0, reach: 0 });
    const voices = await voicesOf(context, Float32Array.of(0.4));
    assert.deepEqual(
      voices.map(({ vector, melody }) => [...vector, melody?.pitchFactor]),
      [[Math.fround(0.4), 0.5 / Math.fround(0.4)]],
    );
    assert.equal(spoken.length, 3 * TRIAL_SENTENCES.length + LONG_TALK_SENTENCES.length);
    assert.equal(new Set(spoken).size, TRIAL_SENTENCES.length + LONG_TALK_SENTENCES.length);
  });

  for (const [miss, sentences] of [
    [0.005, FIRST_TRIAL_SENTENCES],
    [0.1, TRIAL_SENTENCES.length],
  ] as const) {
    test(`a first voice that is off by ${miss} says ${sentences} sentences, and the rest is corrected`, async () => {
      const { context, spoken } = tinyWorld({ miss, reach: 0 });
      const [voice] = await voicesOf(context);
      assert.equal(new Set(spoken).size, sentences);
      const expected = miss === 0.1 ? 0.5 / 0.6 : 1;
      assert.ok(Math.abs((voice!.melody?.pitchFactor ?? 1) - expected) < 1e-6);
    });
  }

  test('no more than a minute of speech is heard', async () => {
    const { context } = tinyWorld({ miss: 0, reach: 1 });
    const finder = await context.finder();
    let heard = 0;
    const counting: CloningContext = {
      ...context,
      finder: async () => ({
        ...finder,
        measure: (samples) => {
          heard = Math.max(heard, samples.length);
          return finder.measure(samples);
        },
      }),
    };
    const clips = [new Float32Array(50 * RATE_HZ).fill(0.5), new Float32Array(50 * RATE_HZ).fill(0.5)];
    for await (const _ of findVoice(counting, { clips }, new AbortController().signal));
    assert.equal(heard, 60 * RATE_HZ);
  });

  test('an abort ends it', async () => {
    const { context } = tinyWorld({ miss: 0, reach: 1 });
    await assert.rejects(voicesOf(context, undefined, AbortSignal.abort(new Error('enough'))), /enough/);
  });
});

describe('mixing voices', () => {
  test('a mix lies between its voices by their weights, and is heard once', async () => {
    const { context, spoken } = tinyWorld({ miss: 0, reach: 1 });
    const parts = [
      { voice: 0, weight: 3 },
      { voice: Float32Array.of(1), weight: 1 },
    ];
    const mixed = await mixVoice(context, parts, new AbortController().signal);
    assert.ok(Math.abs(mixed.vector[0]! - 0.4) < 1e-6, `${mixed.vector[0]}`);
    assert.equal(mixed.gender, 'female');
    assert.equal(mixed.engine, 'tiny');
    assert.equal(new Set(spoken).size, spoken.length);
    assert.ok(spoken.length > 0);
  });

  test('a mix gets its share of what is done to the melodies of its voices, around its own pitch', async () => {
    const { context } = tinyWorld({ miss: 0, reach: 1 });
    const melody = { middleHz: 100, pitchFactor: 1.21, range: 0.6 };
    const parts = [
      { voice: 0, weight: 1 },
      { voice: Float32Array.of(1), weight: 1, melody },
    ];
    const mixed = await mixVoice(context, parts, new AbortController().signal);
    assert.ok(Math.abs(mixed.melody!.pitchFactor - 1.1) < 1e-9);
    assert.ok(Math.abs(mixed.melody!.range - 0.8) < 1e-9);
    assert.notEqual(mixed.melody!.middleHz, 100);
    const plain = await mixVoice(context, parts.slice(0, 1), new AbortController().signal);
    assert.equal(plain.melody, undefined);
  });

  test('a speaker the engine does not have is refused', async () => {
    const { context } = tinyWorld({ miss: 0, reach: 1 });
    const parts = [{ voice: 7, weight: 1 }];
    await assert.rejects(mixVoice(context, parts, new AbortController().signal), /no speaker 7/);
  });
});
