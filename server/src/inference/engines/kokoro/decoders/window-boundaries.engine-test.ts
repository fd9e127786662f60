import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { openSpeechHost } from '../../../../../test/support/workers/engine-context.ts';
import { Fft } from '../../../../audio/dsp/fft.ts';
import { joinSamples } from '../../../../audio/pcm.ts';
import { textToPieces } from '../../../../text/front-end/text-to-pieces.ts';
import { kokoroTokens, readKokoroTokenTable } from '../../../phonemizer/tokens/kokoro-tokens.ts';
import { type KokoroFront, loadFront } from '../front.ts';
import { SAMPLES_PER_FRAME } from '../networks/features.ts';
import { Styles } from '../styles.ts';
import type { KokoroDecoder } from './decoder.ts';
import { FastDecoder } from './fast-decoder.ts';
import { SmallDecoder } from './small-decoder.ts';
import { decodeInWindows, planWindows } from './windows.ts';

const VOICES = ['af_heart', 'bm_george'] as const;
const PASSAGES = [
  'The last ferry leaves at nine, and nobody on the long wooden pier waits for the fog to lift.',
  'Sixteen slow swans swam silently past the shore, while somebody whistled something soft and sad.',
  'Why would anyone worry about a window, when the whole wall is open to the warm west wind?',
] as const;
/** 21 ms at 24 kHz, centred on a window boundary. */
const SPAN = 512;

const DECODERS = {
  small: (asset) => SmallDecoder.open(asset),
  fast: (asset) => FastDecoder.open(asset('fast-decoder/decoder-int8.onnx'), { threads: 1 }),
} satisfies Record<string, (asset: (path: string) => string) => Promise<KokoroDecoder>>;

const context = openSpeechHost().context();

for (const [name, open] of Object.entries(DECODERS)) {
  describe(`windowed decoding by the ${name} decoder`, () => testWindows(open));
}

function testWindows(open: (asset: (path: string) => string) => Promise<KokoroDecoder>): void {
  let front: KokoroFront;
  let decoder: KokoroDecoder;
  before(async () => {
    front = await loadFront(context);
    decoder = await open((path) => context.asset(path));
  });
  after(() => Promise.all([front.close(), decoder.close()]));

  for (const voice of VOICES) {
    test(`of ${voice} differs from full decoding at boundaries by less than adjacent frames differ`, async () => {
      const atBoundaries: number[] = [];
      const betweenFrames: number[] = [];
      for (const text of PASSAGES) {
        const { whole, streamed, boundaries } = await decodeFullAndWindowed(text, voice);
        assert.equal(streamed.length, whole.length);
        assert.ok(boundaries.length >= 2);
        for (const boundary of boundaries) {
          atBoundaries.push(spectralDistance(streamed, boundary - SPAN / 2, whole, boundary - SPAN / 2));
        }
        for (let from = 0; from + 2 * SPAN <= whole.length; from += SPAN) {
          if (isLoud(whole, from)) betweenFrames.push(spectralDistance(whole, from, whole, from + SPAN));
        }
      }
      const leastChange = Math.min(...betweenFrames);
      assert.ok(
        Math.max(...atBoundaries) < leastChange,
        `${Math.max(...atBoundaries)} dB against ${leastChange} dB`,
      );
    });
  }

  async function decodeFullAndWindowed(text: string, voice: string) {
    const phonemizer = await context.phonemizer();
    const table = readKokoroTokenTable(
      await readFile(await context.file('kokoro-voices', 'tokenizer.json'), 'utf8'),
    );
    const options = { chunkLength: 300, minChunkLength: 50, firstPieceLength: 300 } as const;
    const [piece] = textToPieces(text, { ...options, language: 'en-US', normalize: true, cueStyle: 'both' });
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
      boundaries: windows.slice(1).map(({ from }) => from * SAMPLES_PER_FRAME),
    };
  }
}

const fft = new Fft(SPAN);

/** RMS difference of the spectra of two segments, in decibels. */
function spectralDistance(a: Float32Array, aFrom: number, b: Float32Array, bFrom: number): number {
  const [first, second] = [spectrumDb(a, aFrom), spectrumDb(b, bFrom)];
  const sum = first.reduce((total, value, bin) => total + (value - second[bin]!) ** 2, 0);
  return Math.sqrt(sum / first.length);
}

/** Power spectrum in decibels; the floor of 1e-4 is inaudible next to speech. */
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
