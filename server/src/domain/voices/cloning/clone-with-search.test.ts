import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeechPart } from '../../engines/tts-engine.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import type { RecordedPart, TranscribedSpeech } from '../../engines/voice-search.ts';
import { cloneWithSearch } from './clone-with-search.ts';
import type { SearchContext } from './cloning-job.ts';
import { convertPart } from './convert-part.ts';

const RATE_HZ = 16_000;
const EMPTY = new Float32Array(0);
const NO_PART: RecordedPart = {
  textFeatures: EMPTY,
  pitchHz: EMPTY,
  energy: EMPTY,
  rms: 0,
  logMel: EMPTY,
  statistics: EMPTY,
};

/**
 * A context in which a voice is one number and its speech a constant signal of that value. A descent moves the vector by
 * `stepSize` per step towards the target; vectors below 0 belong to another engine.
 */
function createTestContext({
  stepSize,
  tolerance = 0.01,
  embedding,
}: {
  stepSize: number;
  tolerance?: number;
  embedding?: Float32Array;
}) {
  const descents: number[] = [];
  /** Parts of the recording that each descent compared. */
  const parts: (readonly RecordedPart[])[] = [];
  const encoder: VoiceEncoder = {
    sampleRateHz: RATE_HZ,
    measure: async (samples) => Float32Array.of(samples[Math.floor(samples.length / 2)]!),
    targetFor: (recording) => recording,
    predictVector: async (target) => target,
    refineVector: async (target) => target,
    matchPitch: async (target) => target,
    hasSamePitch: (measures, target) => Math.abs(measures[0]! - target[0]!) <= tolerance,
    pitchOf: (measures) => ({ pitchHz: measures[0]!, pitchRangeOctaves: 0 }),
    similarity: (a, b) => 1 - Math.abs(a[0]! - b[0]!),
    distance: (measures, target) => Math.abs(measures[0]! - target[0]!),
    describe: (measures, target) => ({ distance: Math.abs(measures[0]! - target[0]!) }),
    genderOf: async () => 'female',
  };
  const context: SearchContext = {
    encoder: async () => encoder,
    speakers: async () => [Float32Array.of(0.25)],
    search: async () => ({
      accepts: (vector) => vector[0]! >= 0,
      targetFor: (recording) => recording,
      predict: async () => Float32Array.of(0),
      hear: async () => ({
        embedding,
        statistics: new Float32Array(0),
        background: new Float64Array(0),
      }),
      prepareDescent: () => {},
      partsOf: async ({ samples, text }) => [{ ...NO_PART, pitchHz: samples, rms: text.length }],
      descend: async (vector, { measures, parts: compared }, { steps, signal }) => {
        signal.throwIfAborted();
        descents.push(steps);
        parts.push(compared);
        return Float32Array.of(Math.min(measures[0]!, vector[0]! + stepSize * steps));
      },
      matchPitch: (vector, target, measures) => Float32Array.of(vector[0]! + (target[0]! - measures[0]!) / 2),
    }),
    engine: async () => ({
      name: 'tiny',
      sampleRateHz: RATE_HZ,
      async *speak(_, voice): AsyncGenerator<SpeechPart> {
        const value = voice.kind === 'vector' ? voice.values[0]! : 0;
        yield { samples: new Float32Array(RATE_HZ / 2).fill(value), sampleRateHz: RATE_HZ };
      },
    }),
  };
  return { context, descents, parts };
}

const CLIPS = [new Float32Array(RATE_HZ).fill(0.5)];
const NEVER = new AbortController().signal;

async function cloneOnce(context: SearchContext, from?: Float32Array, excerpt?: TranscribedSpeech) {
  const voices = [];
  for await (const voice of cloneWithSearch(context, { clips: CLIPS, from, excerpt }, NEVER))
    voices.push(voice);
  assert.equal(voices.length, 1);
  return voices[0]!;
}

test('a first voice takes few steps from the estimate, a refinement more from the first voice', async () => {
  const { context, descents } = createTestContext({ stepSize: 0.01, tolerance: 1 });
  const first = await cloneOnce(context);
  const refined = await cloneOnce(context, first.vector);
  assert.ok(descents[0]! < descents[1]!);
  assert.ok(refined.measures.distance! < first.measures.distance!);
  assert.equal(refined.engine, 'tiny');
});

test('a first voice whose embedding is known takes fewer steps, a refinement as many', async () => {
  const without = createTestContext({ stepSize: 0.01, tolerance: 1 });
  const known = createTestContext({ stepSize: 0.01, tolerance: 1, embedding: Float32Array.of(1) });
  for (const { context } of [without, known]) await cloneOnce(context, (await cloneOnce(context)).vector);
  assert.ok(known.descents[0]! < without.descents[0]!);
  assert.equal(known.descents[1], without.descents[1]);
});

test('a refinement compares parts of a transcribed recording, a first voice does not', async () => {
  const { context, parts } = createTestContext({ stepSize: 0.01, tolerance: 1 });
  const excerpt = { samples: CLIPS[0]!, text: 'A sentence.' };
  const first = await cloneOnce(context, undefined, excerpt);
  await cloneOnce(context, first.vector, excerpt);
  await cloneOnce(context, first.vector);
  const spoken = { ...NO_PART, pitchHz: excerpt.samples, rms: excerpt.text.length };
  assert.deepEqual(parts, [[], [spoken], []]);
});

test('a wrong pitch is adjusted while that helps', async () => {
  const { context } = createTestContext({ stepSize: 0 });
  const voice = await cloneOnce(context);
  assert.ok(Math.abs(voice.vector[0]! - 0.375) < 1e-6, 'two adjustments, each by half of the error');
});

test('a refinement that is farther from the recording is discarded', async () => {
  const { context } = createTestContext({ stepSize: -0.01, tolerance: 1 });
  const voice = await cloneOnce(context, Float32Array.of(0.4));
  assert.ok(Math.abs(voice.vector[0]! - 0.4) < 1e-6);
});

test('the vector of another engine is not refined; the search starts from the recording', async () => {
  const { context } = createTestContext({ stepSize: 0.001, tolerance: 1 });
  const voice = await cloneOnce(context, Float32Array.of(-1));
  assert.ok(voice.vector[0]! > 0);
});

test('a speaker of the other engine becomes a part of a mix by its speech', async () => {
  const { context } = createTestContext({ stepSize: 1, tolerance: 1 });
  const contexts = { speakers: context, clones: context };
  const part = await convertPart({ engine: 'vits', voice: 0, weight: 2 }, contexts, NEVER);
  assert.deepEqual(part, { engine: 'kokoro-fast', voice: Float32Array.of(0.25), weight: 2 });
  const own = { engine: 'kokoro-fast', voice: Float32Array.of(1), weight: 1 };
  assert.equal(await convertPart(own, contexts, NEVER), own);
});
