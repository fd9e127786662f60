import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { noise } from '../../../../test/support/audio/signals.ts';
import { synthesizeForAsr } from '../../../../test/support/audio/synthesized-audio.ts';
import { openTranscriptionHost } from '../../../../test/support/workers/engine-context.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { loadConfig } from '../../../config/config.ts';
import { ASR_SAMPLE_RATE_HZ, VAD_FRAME_SAMPLES } from '../../../domain/engines/asr-engine.ts';
import { InferenceSession, Tensor } from '../onnx/onnxruntime.ts';

const CONTEXT_SAMPLES = 64;

/** The output of the original model, one frame per call. */
async function originalProbabilities(samples: Float32Array): Promise<number[]> {
  const { config } = loadConfig(process.env);
  const model = join(config.modelsFolder, 'silero-vad', 'model.onnx');
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(ASR_SAMPLE_RATE_HZ)), []);
  let state: Tensor = new Tensor('float32', new Float32Array(256), [2, 1, 128]);
  const padded = joinSamples([new Float32Array(CONTEXT_SAMPLES), samples]);
  const probabilities: number[] = [];
  for (let at = 0; at + VAD_FRAME_SAMPLES <= samples.length; at += VAD_FRAME_SAMPLES) {
    const window = padded.slice(at, at + CONTEXT_SAMPLES + VAD_FRAME_SAMPLES);
    const input = new Tensor('float32', window, [1, window.length]);
    const outputs = await session.run({ input, state, sr });
    state = outputs.stateN as Tensor;
    probabilities.push((outputs.output!.data as Float32Array)[0]!);
  }
  await session.release();
  return probabilities;
}

test('a batch of frames gives the probabilities of single frames, for any division of the audio', async () => {
  const { samples } = await synthesizeForAsr('The little boat came home at last.');
  const audio = joinSamples([new Float32Array(8000), samples, noise(ASR_SAMPLE_RATE_HZ, 0.1)]);
  const expected = await originalProbabilities(audio);
  assert.ok(Math.max(...expected) > 0.9 && Math.min(...expected) < 0.1);
  const voice = await openTranscriptionHost().voiceActivity();
  for (const partSamples of [audio.length, 16_000, 777]) {
    const stream = voice.open();
    const found: number[] = [];
    for (let at = 0; at < audio.length; at += partSamples) {
      found.push(...(await stream.push(audio.subarray(at, at + partSamples))));
    }
    assert.equal(found.length, expected.length);
    for (const [index, value] of expected.entries()) {
      assert.ok(Math.abs(found[index]! - value) < 1e-3, `frame ${index}: ${found[index]}, ${value}`);
    }
    assert.equal((await stream.flush()).length, audio.length % VAD_FRAME_SAMPLES === 0 ? 0 : 1);
  }
});

test('speech after long digital silence has the decisions of the original model, but for a few frames', async () => {
  const { samples } = await synthesizeForAsr('The little boat came home at last.');
  const audio = joinSamples([samples, new Float32Array(90 * ASR_SAMPLE_RATE_HZ), samples]);
  const expected = await originalProbabilities(audio);
  const stream = (await openTranscriptionHost().voiceActivity()).open();
  const found: number[] = [];
  for (let at = 0; at < audio.length; at += 32_000) {
    found.push(...(await stream.push(audio.subarray(at, at + 32_000))));
  }
  assert.equal(found.length, expected.length);
  // The state at the end of the skipped silence differs a little from that of a model that has processed it.
  const differences = found.map((value, index) => Math.abs(expected[index]! - value));
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length;
  assert.ok(mean < 0.005, `mean difference ${mean}`);
  const other = found.filter((value, index) => value > 0.5 !== expected[index]! > 0.5).length;
  assert.ok(other <= 2, `${other} frames with another decision`);
});
