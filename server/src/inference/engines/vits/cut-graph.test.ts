import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { floats, makeModel, makeNode } from '../../../../test/support/engines/tiny-model.ts';
import { makeTinyVits } from '../../../../test/support/engines/tiny-vits.ts';
import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { deriveInFolder } from '../onnx/derive-in-folder.ts';
import { type OnnxModel, writeModel } from '../onnx/model.ts';
import { InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { cutVitsGraph } from './cut-graph.ts';
import { openVitsGraph } from './open-graph.ts';
import { decodeWindows, drawPrior } from './synthesis.ts';
import { VitsModel } from './vits-model.ts';

const IDS = Array.from({ length: 61 }, (_, index) => (index * 7) % 30);

async function setup(t: TestContext, model: OnnxModel) {
  const folder = await mkdtemp(join(tmpdir(), 'vits-'));
  t.after(() => rm(folder, { recursive: true }));
  const modelPath = join(folder, 'voice.onnx');
  await writeFile(modelPath, writeModel(model));
  const derive = deriveInFolder(join(folder, 'opened'));
  const opened = await openVitsGraph(modelPath, derive);
  return { folder, modelPath, derive, opened };
}

/** The complete model without noise. */
async function runWhole(model: OnnxModel, speaker: number | undefined): Promise<Float32Array> {
  const session = await InferenceSession.create(writeModel(model), { intraOpNumThreads: 1 });
  const outputs = await session.run({
    input: new Tensor('int64', BigInt64Array.from(IDS, BigInt), [1, IDS.length]),
    input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(IDS.length)), [1]),
    scales: new Tensor('float32', Float32Array.of(0, 1, 0), [3]),
    ...(speaker !== undefined && { sid: new Tensor('int64', BigInt64Array.of(BigInt(speaker)), [1]) }),
  });
  await session.release();
  return outputs.output!.data as Float32Array;
}

/** The opened model, window by window, without noise. */
async function runParts(model: VitsModel, speaker: Float32Array): Promise<Float32Array> {
  const noise = new GaussianNoise(0);
  const front = await model.runFront({
    ids: IDS,
    speaker,
    lengthScale: 1,
    durationNoiseScale: 0,
    fillNoise: (values) => noise.fill(values),
  });
  const prior = drawPrior(front, { noise, noiseScale: 0 });
  const { signal } = new AbortController();
  const samples: number[] = [];
  for await (const part of decodeWindows(model, { prior, speaker, signal })) samples.push(...part);
  return Float32Array.from(samples);
}

for (const speakerCount of [0, 3]) {
  const kind = speakerCount === 0 ? 'one speaker' : 'several speakers';
  test(`a model of ${kind} gives the same samples in parts and windows as complete`, async (t) => {
    const whole = makeTinyVits({ speakerCount });
    const { opened } = await setup(t, whole);
    assert.equal(opened.shape.speakerCount, speakerCount);
    assert.equal(opened.shape.samplesPerFrame, 256);
    const model = await VitsModel.open(opened, { threads: 1 });
    t.after(() => model.close());
    const speaker = speakerCount === 0 ? undefined : 2;
    const expected = await runWhole(whole, speaker);
    const actual = await runParts(model, model.speaker(speaker ?? 0));
    assert.equal(actual.length, expected.length);
    assert.ok(expected.length > 128 * 256, 'long enough for several windows');
    const largestDifference = actual.reduce(
      (max, sample, index) => Math.max(max, Math.abs(sample - expected[index]!)),
      0,
    );
    assert.ok(largestDifference < 1e-5, `differs by ${largestDifference}`);
  });
}

test('the receptive field is computed from the kernels', () => {
  const parts = cutVitsGraph(makeTinyVits({ speakerCount: 2 }));
  assert.equal(parts.flowReachFrames, 2);
  // 3 frames of the first kernel, 11/8 of the first upsampling, and fractions after it.
  assert.equal(parts.decoderReachFrames, 5);
});

test('parts are derived once, and a failed attempt leaves no files', async (t) => {
  const { folder, modelPath, derive } = await setup(t, makeTinyVits({ speakerCount: 2 }));
  const files = (await readdir(join(folder, 'opened'))).sort();
  const made = files.filter((name) => !name.endsWith('.sha256'));
  assert.equal(files.length, 2 * made.length, 'every part has its checksum');
  assert.deepEqual(made, ['decoder.onnx', 'flow.onnx', 'front.onnx', 'shape.json', 'speakers.f32']);
  await writeFile(modelPath, 'not a model');
  await openVitsGraph(modelPath, derive);

  const elsewhere = join(folder, 'elsewhere');
  await assert.rejects(openVitsGraph(modelPath, deriveInFolder(elsewhere)), { name: 'OnnxError' });
  assert.deepEqual(await readdir(elsewhere), []);
});

test('another kind of model is rejected with the missing element', () => {
  const other = makeModel({
    nodes: [makeNode('Neg', ['x'], ['y'])],
    initializers: [],
    inputs: [floats('x', 1)],
    outputs: [floats('y', 1)],
  });
  assert.throws(() => cutVitsGraph(other), { name: 'OnnxError', message: /it lacks durations/ });
});
