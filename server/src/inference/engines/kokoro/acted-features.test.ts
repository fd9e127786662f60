import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginActedDecoding } from './acted-features.ts';
import type { KokoroDecoder } from './decoders/decoder.ts';
import { FEATURE_ROWS, SAMPLES_PER_FRAME } from './networks/features.ts';

const FRAMES = 4;
const STYLE = new Float32Array(256);
const CLONE = new Float32Array(8);

/** A decoder whose samples are all 0.1. */
function constantDecoder(gains: Pick<KokoroDecoder, 'whisperGain' | 'cloneWhisperGain'>): KokoroDecoder {
  return {
    ...gains,
    contextFrames: 8,
    begin: () => ({
      decode: async (from, to) => new Float32Array((to - from) * SAMPLES_PER_FRAME).fill(0.1),
    }),
    close: async () => {},
  };
}

function withBreath(breath: number) {
  const steps = 2 * FRAMES;
  const zeros = () => new Float32Array(steps);
  const features = {
    ...{ frames: FRAMES, text: new Float32Array(FEATURE_ROWS), frameTokens: new Int32Array(FRAMES) },
    ...{ f0: zeros(), energy: zeros() },
    tokenFrames: Int32Array.of(FRAMES),
  };
  const tracks = {
    ...{ length: steps, offset: zeros(), range: zeros(), levelDb: zeros(), effort: zeros() },
    breath: zeros().fill(breath),
  };
  return { features, tracks };
}

async function level(decoder: KokoroDecoder, decoderVoice: Float32Array | undefined, breath: number) {
  const job = beginActedDecoding(decoder, { style: STYLE, decoderVoice, seed: 1 }, withBreath(breath));
  const [first] = await job.decode(0, FRAMES);
  return Number(first!.toFixed(3));
}

test('whispers of clones have a gain of their own', async () => {
  const decoder = constantDecoder({ whisperGain: 2, cloneWhisperGain: 0.5 });
  assert.equal(await level(decoder, undefined, 1), 0.2);
  assert.equal(await level(decoder, CLONE, 1), 0.05);
  // Half of the power is voiced, and the whisper is added by its share.
  assert.equal(await level(decoder, CLONE, 0.5), Number((0.1 * Math.SQRT1_2 + 0.1 * 0.5 * 0.5).toFixed(3)));
});

test('without a gain for clones that of the other voices is used', async () => {
  assert.equal(await level(constantDecoder({ whisperGain: 2 }), CLONE, 1), 0.2);
});

test('speech without breath is not changed', async () => {
  const decoder = constantDecoder({ whisperGain: 2, cloneWhisperGain: 0.5 });
  assert.equal(await level(decoder, CLONE, 0), 0.1);
});
