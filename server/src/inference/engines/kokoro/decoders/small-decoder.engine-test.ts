import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { openSpeechHost } from '../../../../../test/support/workers/engine-context.ts';
import { flattenDepthwiseConvolutions } from '../../onnx/depthwise-convolutions.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { readModel, writeModel } from '../../onnx/model.ts';
import { Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { DECODER_VOICE_SIZE } from '../clone-vectors/clone-vector.ts';
import { NATIVE_VALUES } from '../clone-vectors/native-articulation.ts';
import { WEIGHT_CHANGES_SIZE } from '../clone-vectors/weight-changes.ts';
import { BINS, HOPS_PER_FRAME, UtteranceExcitation } from '../networks/excitation.ts';
import { alignTextRows, FEATURE_ROWS, type Features, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { SmallDecoder } from './small-decoder.ts';

// The server runs the first part of a decoder's file and computes the rest itself. The reference is the complete file.

const FRAMES = 40;
/** Frames outside of the utterance are zeros, which the decoder adds by itself. */
const CONTEXT_FRAMES = 8;
const SEED = 5;
const CLONE_VECTOR_SIZE = DECODER_VOICE_SIZE + WEIGHT_CHANGES_SIZE;

const context = openSpeechHost().context();
const asset = (name: string) => context.asset(name);
const open = (name: string) => openSession(asset(name), { threads: 1 });
const values = (length: number, at: (index: number) => number) =>
  Float32Array.from({ length }, (_, index) => at(index));
const tensor = (data: Float32Array, ...dims: number[]) => new Tensor('float32', data, [1, ...dims]);

const STYLE = values(256, (index) => 0.2 * Math.sin(3 * index));
const PITCHES: Record<string, (index: number) => number> = {
  'speech with unvoiced parts': (index) => (index % 20 < 5 ? 1 : 150 + 40 * Math.sin(index / 7)),
  'a whisper': () => 0,
  'a high voice': (index) => 380 + index,
};
const VOICES: Record<string, { readonly file: string; vector(): Promise<Float32Array> }> = {
  "one of Kokoro's voices": { file: 'decoder/decoder-int8.onnx', vector: kokoroVector },
  'a clone': {
    file: 'small-decoder/clone-decoder-int8.onnx',
    vector: async () => values(CLONE_VECTOR_SIZE, (index) => 0.1 * Math.sin(index)),
  },
};

for (const [voice, { file, vector }] of Object.entries(VOICES)) {
  describe(`the decoder of ${voice}`, () => {
    for (const [what, pitch] of Object.entries(PITCHES)) {
      test(`gives ${what} as its complete network does`, async () => {
        const decoderVoice = await vector();
        const features = featuresOf(pitch);
        const decoder = await SmallDecoder.open(asset);
        const input = { features, style: STYLE, seed: SEED };
        const isClone = decoderVoice.length === CLONE_VECTOR_SIZE;
        const made = await decoder.begin({ ...input, ...(isClone && { decoderVoice }) }).decode(0, FRAMES);
        await decoder.close();
        const expected = await runCompletely(file, features, decoderVoice);
        assert.equal(made.length, FRAMES * SAMPLES_PER_FRAME);
        const error = made.reduce((sum, sample, index) => sum + (sample - expected[index]!) ** 2, 0);
        const power = expected.reduce((sum, sample) => sum + sample ** 2, 0);
        assert.ok(power > 0);
        assert.ok(error < 1e-9 * power, `${10 * Math.log10(error / power)} dB`);
      });
    }
  });
}

test('a clone with native articulation keeps its long-term level, and the adaptation is deterministic', async () => {
  const voice = values(CLONE_VECTOR_SIZE, (index) => 0.1 * Math.sin(index));
  const native = {
    values: values(NATIVE_VALUES, (index) => 1 + 0.3 * Math.sin(5 * index)),
    shares: [0.8, 0.4, 0.2],
  };
  const features = featuresOf(PITCHES['speech with unvoiced parts']!);
  const decoder = await SmallDecoder.open(asset);
  const adapted = await decoder.articulate(voice, native, features);
  assert.deepEqual(await decoder.articulate(voice, native, features), adapted);
  assert.notDeepEqual(adapted.slice(0, NATIVE_VALUES), voice.slice(0, NATIVE_VALUES));
  const level = async (decoderVoice: Float32Array) => {
    const samples = await decoder
      .begin({ features, style: STYLE, decoderVoice, seed: SEED })
      .decode(0, FRAMES);
    return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample ** 2, 0));
  };
  const [before, after] = [await level(voice), await level(adapted)];
  await decoder.close();
  assert.ok(Math.abs(after - before) < 3, `${before} and ${after} dB`);
});

function featuresOf(pitch: (index: number) => number): Features {
  return {
    frames: FRAMES,
    text: values(FEATURE_ROWS * FRAMES, (index) => 0.4 * Math.sin(index * index)),
    frameTokens: Int32Array.from({ length: FRAMES }, (_, frame) => frame),
    f0: values(2 * FRAMES, pitch),
    energy: values(2 * FRAMES, (index) => 3 + Math.sin(index / 5)),
  };
}

async function kokoroVector(): Promise<Float32Array> {
  const [style, voice] = [await open('decoder/style.onnx'), await open('decoder/voice.onnx')];
  const { embedding } = await style.run({ style: tensor(STYLE.slice(0, 128), 128) });
  const vector = floatOutput(await voice.run({ embedding: embedding! }), 'voice');
  await Promise.all([style.release(), voice.release()]);
  return vector;
}

/** The samples of the utterance by the complete file, which also gets the frames of zeros around it. */
async function runCompletely(file: string, features: Features, voice: Float32Array): Promise<Float32Array> {
  const frames = FRAMES + 2 * CONTEXT_FRAMES;
  const hops = HOPS_PER_FRAME * frames;
  const excitation = new UtteranceExcitation(features.f0, SEED);
  const first = -HOPS_PER_FRAME * CONTEXT_FRAMES;
  const spectra = excitation.spectra(first, first + hops);
  const surround = (row: Float32Array, size: number) => {
    const padded = new Float32Array(size * frames);
    padded.set(row, size * CONTEXT_FRAMES);
    return padded;
  };
  const textRows = alignTextRows(features);
  const rows = Array.from({ length: FEATURE_ROWS }, (_, row) =>
    surround(textRows.subarray(row * FRAMES, (row + 1) * FRAMES), 1),
  );
  const asr = Float32Array.from(rows.flatMap((row) => [...row]));
  // Otherwise the last bits of convolutions differ, and with them the rounding of int8 products.
  const model = flattenDepthwiseConvolutions(readModel(await readFile(asset(file))));
  const session = await openSession(writeModel(model), { threads: 1 });
  const outputs = await session.run({
    asr: tensor(asr, FEATURE_ROWS, frames),
    F0: tensor(surround(features.f0, 2), 2 * frames),
    N: tensor(surround(features.energy, 2), 2 * frames),
    cyc: tensor(surround(excitation.phase, 2), 2 * frames),
    voice: tensor(voice, voice.length),
    pulse_real: tensor(spectra.pulseReal, hops, BINS),
    pulse_imaginary: tensor(spectra.pulseImaginary, hops, BINS),
    noise_real: tensor(spectra.noiseReal, hops, BINS),
    noise_imaginary: tensor(spectra.noiseImaginary, hops, BINS),
    modulated_real: tensor(spectra.modulatedReal, hops, BINS),
    modulated_imaginary: tensor(spectra.modulatedImaginary, hops, BINS),
  });
  await session.release();
  const from = CONTEXT_FRAMES * SAMPLES_PER_FRAME;
  return floatOutput(outputs, 'wav').slice(from, from + FRAMES * SAMPLES_PER_FRAME);
}
