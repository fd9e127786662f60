import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noise } from '../../../../test/support/audio/signals.ts';
import { ASR_SAMPLE_RATE_HZ, VAD_FRAME_SAMPLES } from '../../../domain/engines/asr-engine.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { PORT, SPECTRA_PER_FRAME, STATE_WIDTH } from './frame-sequence.ts';
import { SileroVoiceActivity } from './silero-voice-activity.ts';

/** A model that counts its frames and gives each the same probability. */
function countingModel() {
  const counted = { frames: 0 };
  const state = new Tensor('float32', new Float32Array(STATE_WIDTH), [1, 1, STATE_WIDTH]);
  const session = {
    async run(feeds: Record<string, Tensor>) {
      const frames = feeds[PORT.even]!.dims[0]! / SPECTRA_PER_FRAME;
      counted.frames += frames;
      const probabilities = new Tensor('float32', new Float32Array(frames).fill(0.25), [frames]);
      return { [PORT.nextHidden]: state, [PORT.nextCell]: state, [PORT.probabilities]: probabilities };
    },
  };
  // The only method that is used.
  return { counted, model: new SileroVoiceActivity(session as unknown as InferenceSession) };
}

async function pushSeconds(model: SileroVoiceActivity, blocks: readonly Float32Array[]): Promise<number> {
  const stream = model.open();
  let frames = 0;
  for (const block of blocks) {
    const probabilities = await stream.push(block);
    assert.ok(probabilities.every((probability) => probability === 0.25));
    frames += probabilities.length;
  }
  return frames;
}

test('two hours of digital silence need the inference of less than a minute', async () => {
  const { counted, model } = countingModel();
  const block = new Float32Array(2 * ASR_SAMPLE_RATE_HZ);
  const frames = await pushSeconds(model, Array<Float32Array>(3600).fill(block));
  assert.equal(frames, (7200 * ASR_SAMPLE_RATE_HZ) / VAD_FRAME_SAMPLES);
  assert.ok((counted.frames * VAD_FRAME_SAMPLES) / ASR_SAMPLE_RATE_HZ < 60, `${counted.frames} frames`);
});

test('every frame of other audio is analysed', async () => {
  const { counted, model } = countingModel();
  const silence = new Float32Array(60 * ASR_SAMPLE_RATE_HZ);
  const before = await pushSeconds(model, [silence, noise(ASR_SAMPLE_RATE_HZ, 0.01)]);
  const silentFrames = (60 * ASR_SAMPLE_RATE_HZ) / VAD_FRAME_SAMPLES;
  assert.ok(counted.frames >= before - silentFrames);
});
