import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { openEngineHost } from '../../../../test/support/engine-context.ts';
import { Fft } from '../../../audio/dsp/fft.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { readText } from '../../../text/reading/read-text.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../phonemizer/tokens/kokoro-tokens.ts';
import { FastDecoder } from './fast-decoder.ts';
import { SAMPLES_PER_FRAME } from './features.ts';
import { type KokoroFront, loadFront } from './front.ts';
import { MODEL } from './graph.ts';
import { Styles } from './styles.ts';
import { decodeInWindows, planWindows } from './windows.ts';

const VOICES = ['af_heart', 'bm_george'] as const;
const PASSAGES = [
  'The last ferry leaves at nine, and nobody on the long wooden pier waits for the fog to lift.',
  'Sixteen slow swans swam silently past the shore, while somebody whistled something soft and sad.',
  'Why would anyone worry about a window, when the whole wall is open to the warm west wind?',
] as const;
/** 21 ms at 24 kHz: the joint stands in the middle. */
const SPAN = 512;

describe('speech decoded in windows', () => {
  let front: KokoroFront;
  let decoder: FastDecoder;
  before(async () => {
    const context = openEngineHost().context();
    front = await loadFront(context);
    decoder = await FastDecoder.open(context.asset('fast-decoder/decoder-int8.onnx'), { threads: 1 });
  });
  after(() => Promise.all([front.close(), decoder.close()]));

  for (const voice of VOICES) {
    test(`cannot be told from ${voice} decoded whole: at a joint they differ less than any two moments`, async () => {
      const atJoints: number[] = [];
      const betweenMoments: number[] = [];
      for (const text of PASSAGES) {
        const { whole, streamed, joints } = await decodeBothWays(text, voice);
        assert.equal(streamed.length, whole.length);
        assert.ok(joints.length >= 2);
        for (const joint of joints) {
          atJoints.push(spectralDistance(streamed, joint - SPAN / 2, whole, joint - SPAN / 2));
        }
        for (let from = 0; from + 2 * SPAN <= whole.length; from += SPAN) {
          if (isLoud(whole, from)) betweenMoments.push(spectralDistance(whole, from, whole, from + SPAN));
        }
      }
      const leastChange = Math.min(...betweenMoments);
      assert.ok(Math.max(...atJoints) < leastChange, `${Math.max(...atJoints)} dB against ${leastChange} dB`);
    });
  }

  async function decodeBothWays(text: string, voice: string) {
    const context = openEngineHost().context();
    const phonemizer = await context.phonemizer();
    const table = readKokoroTokenTable(await readFile(await context.file(MODEL, 'tokenizer.json'), 'utf8'));
    const options = { chunkLength: 300, minChunkLength: 50, firstPieceLength: 300 } as const;
    const [piece] = readText(text, { ...options, language: 'en-US', normalize: true, cueStyle: 'both' });
    const { ids } = kokoroTokens(phonemizer.kokoro(piece!.words, 'en-US').symbols, table);
    const styles = await Styles.inFolder(await context.folder('kokoro-voices'));
    const style = await styles.row({ kind: 'named', name: voice }, ids.length);
    const features = await front.run(ids, style, 1);
    const job = decoder.begin({ features, style, seed: 1 });
    const range = { from: 0, to: features.frames };
    const windows = planWindows(range, true);
    const parts: Float32Array[] = [];
    for await (const part of decodeInWindows(windows, job.decode)) parts.push(part);
    return {
      whole: await job.decode(range.from, range.to),
      streamed: joinSamples(parts),
      joints: windows.slice(1).map(({ from }) => from * SAMPLES_PER_FRAME),
    };
  }
});

const fft = new Fft(SPAN);

/** How far two stretches are apart: the root mean square of the difference of their spectra, in decibels. */
function spectralDistance(a: Float32Array, aFrom: number, b: Float32Array, bFrom: number): number {
  const [first, second] = [spectrumDb(a, aFrom), spectrumDb(b, bFrom)];
  const sum = first.reduce((total, value, bin) => total + (value - second[bin]!) ** 2, 0);
  return Math.sqrt(sum / first.length);
}

/** Levels down to what is not heard beside speech. */
function spectrumDb(samples: Float32Array, from: number): number[] {
  const real = Float64Array.from({ length: SPAN }, (_, index) => {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * (index + 0.5)) / SPAN);
    return samples[from + index]! * hann;
  });
  const imaginary = new Float64Array(SPAN);
  fft.transform(real, imaginary);
  return Array.from(
    { length: SPAN / 2 },
    (_, bin) => 10 * Math.log10(real[bin]! ** 2 + imaginary[bin]! ** 2 + 1e-4),
  );
}

function isLoud(samples: Float32Array, from: number): boolean {
  const span = samples.subarray(from, from + 2 * SPAN);
  return span.reduce((sum, sample) => sum + sample * sample, 0) / span.length > 1e-3;
}
