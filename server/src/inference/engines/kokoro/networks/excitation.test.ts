import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BINS, type Excitation, HOPS_PER_FRAME, UtteranceExcitation } from './excitation.ts';
import { SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';

const FRAMES = 40;
const HOPS = FRAMES * HOPS_PER_FRAME;
const WINDOW = 512;
const HOP = 150;
const MARGIN = 181;
const NAMES = [
  'pulseReal',
  'pulseImaginary',
  'noiseReal',
  'noiseImaginary',
  'modulatedReal',
  'modulatedImaginary',
] as const satisfies readonly (keyof Excitation)[];

const constantPitch = (hz: number) => new Float32Array(2 * FRAMES).fill(hz);

describe('the excitation of an utterance', () => {
  test('is the same in every division into windows, also beyond both ends', () => {
    const f0 = Float32Array.from({ length: 2 * FRAMES }, (_, index) =>
      index % 30 < 6 ? 0 : 140 + 40 * Math.sin(index / 9),
    );
    const whole = new UtteranceExcitation(f0, 7).spectra(-8, HOPS + 8);
    const excitation = new UtteranceExcitation(f0, 7);
    for (const [from, to] of [
      [-8, 33],
      [33, 34],
      [34, HOPS + 8],
    ] as const) {
      const part = excitation.spectra(from, to);
      for (const name of NAMES) {
        assert.deepEqual(part[name], whole[name].slice((from + 8) * BINS, (to + 8) * BINS), name);
      }
    }
  });

  test('depends on the seed in its noise alone', () => {
    const spectra = [1, 2, 2 ** 40 + 1].map((seed) =>
      new UtteranceExcitation(constantPitch(120), seed).spectra(0, HOPS),
    );
    assert.deepEqual(spectra[0]!.pulseReal, spectra[1]!.pulseReal);
    assert.notDeepEqual(spectra[0]!.noiseReal, spectra[1]!.noiseReal);
    assert.notDeepEqual(spectra[0]!.noiseReal, spectra[2]!.noiseReal);
    assert.notDeepEqual(spectra[0]!.modulatedReal, spectra[1]!.modulatedReal);
  });

  test('has noise of unit power, independent from hop to hop', () => {
    const { noiseReal, noiseImaginary } = new UtteranceExcitation(constantPitch(0), 3).spectra(0, HOPS);
    const power = noiseReal.reduce((sum, x, index) => sum + x * x + noiseImaginary[index]! ** 2, 0);
    assert.ok(Math.abs(power / noiseReal.length - 1) < 0.05);
    const hop = (number: number) => noiseReal.subarray(number * BINS, (number + 1) * BINS);
    const correlation = hop(10).reduce((sum, x, bin) => sum + x * hop(11)[bin]!, 0) / (BINS / 2);
    assert.ok(Math.abs(correlation) < 0.3);
  });

  for (const hz of [70, 110, 210, 380]) {
    test(`of a pitch of ${hz} Hz is the transform of its harmonics`, () => {
      const excitation = new UtteranceExcitation(constantPitch(hz), 1);
      const made = excitation.spectra(0, HOPS);
      for (const hop of [40, 41, 83]) {
        const expected = transformHarmonics(hz, excitation.phase[0]!, hop);
        let [error, power] = [0, 0];
        for (let bin = 0; bin < 200; bin++) {
          error += (made.pulseReal[hop * BINS + bin]! - expected.real[bin]!) ** 2;
          error += (made.pulseImaginary[hop * BINS + bin]! - expected.imaginary[bin]!) ** 2;
          power += expected.real[bin]! ** 2 + expected.imaginary[bin]! ** 2;
        }
        assert.ok(error < power / 200, `hop ${hop}: error ${error}, power ${power}`);
      }
    });
  }

  test('has no rumble: pulses at 210 Hz have no mean', () => {
    const { pulseReal, pulseImaginary } = new UtteranceExcitation(constantPitch(210), 1).spectra(0, HOPS);
    const powerAt = (bin: number) => {
      let sum = 0;
      for (let hop = 20; hop < HOPS - 20; hop++) {
        sum += pulseReal[hop * BINS + bin]! ** 2 + pulseImaginary[hop * BINS + bin]! ** 2;
      }
      return sum;
    };
    // Bin 4 is at 188 Hz, bins 0 and 1 are below 60 Hz.
    for (const bin of [0, 1]) assert.ok(powerAt(bin) < powerAt(4) / 1000, `bin ${bin}`);
  });

  test('of a whisper is noise alone', () => {
    const spectra = new UtteranceExcitation(constantPitch(0), 1).spectra(0, HOPS);
    for (const name of ['pulseReal', 'pulseImaginary', 'modulatedReal', 'modulatedImaginary'] as const) {
      assert.ok(spectra[name].every((value) => value === 0));
    }
  });

  test('is finite for any pitch, and its phase lies between 0 and 1', () => {
    const f0 = Float32Array.from(
      { length: 2 * FRAMES },
      (_, index) => [-80, 0, 5, 11, 800, 20_000][index % 6]!,
    );
    const excitation = new UtteranceExcitation(f0, -5);
    const spectra = excitation.spectra(0, HOPS);
    for (const name of NAMES) assert.ok(spectra[name].every(Number.isFinite), name);
    assert.ok(excitation.phase.every((cycles) => cycles >= 0 && cycles <= 1));
  });
});

/** The windowed transform of cosines of unit power up to 11.5 kHz; `phase` is that at the centre of the first half frame. */
function transformHarmonics(hz: number, phase: number, hop: number) {
  const harmonics = Math.floor(11_500 / hz);
  const real = new Float64Array(BINS);
  const imaginary = new Float64Array(BINS);
  for (let sample = 0; sample < WINDOW; sample++) {
    const time = hop * HOP - MARGIN + sample;
    const cycles = phase + ((time + 0.5 - SAMPLES_PER_FRAME / 4) * hz) / SAMPLE_RATE_HZ;
    let value = 0;
    for (let number = 1; number <= harmonics; number++) value += Math.cos(2 * Math.PI * number * cycles);
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * sample) / WINDOW);
    const weighted = (value * Math.sqrt(2 / harmonics) * hann) / Math.sqrt(WINDOW * 0.375);
    for (let bin = 0; bin < BINS; bin++) {
      real[bin]! += weighted * Math.cos((2 * Math.PI * bin * sample) / WINDOW);
      imaginary[bin]! -= weighted * Math.sin((2 * Math.PI * bin * sample) / WINDOW);
    }
  }
  return { real, imaginary };
}
