import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  amplitudeAt,
  chunkSizes,
  divideInto,
  noise,
  peak,
  runStage,
  tone,
} from '../../../test/support/audio/signals.ts';
import { Resampler } from './resampler.ts';

const SOURCES_HZ = [22050, 24000, 44100];
const TARGETS_HZ = [8000, 16000, 24000, 32000, 44100, 48000];
const PAIRS = SOURCES_HZ.flatMap((fromHz) => TARGETS_HZ.map((toHz) => ({ fromHz, toHz }))).filter(
  ({ fromHz, toHz }) => fromHz !== toHz,
);

function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  return runStage(new Resampler({ fromHz, toHz }), [samples]);
}

/** The steady part, without the ends. */
function steadyPart(samples: Float32Array): Float32Array {
  return samples.subarray(samples.length >> 2, samples.length - (samples.length >> 2));
}

test('the output length is the input length times the ratio, rounded', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PAIRS), fc.nat(30000), ({ fromHz, toHz }, length) => {
      const output = resample(noise(length), fromHz, toHz);
      assert.equal(output.length, Math.round((length * toHz) / fromHz));
    }),
    {
      numRuns: 200,
      examples: PAIRS.flatMap((pair) =>
        [0, 1, 2, 100].map((length) => [pair, length] as [typeof pair, number]),
      ),
    },
  );
});

test('the output does not depend on how the input is divided', () => {
  const input = noise(20000);
  fc.assert(
    fc.property(fc.constantFrom(...PAIRS), chunkSizes, ({ fromHz, toHz }, sizes) => {
      const whole = resample(input, fromHz, toHz);
      assert.deepEqual(runStage(new Resampler({ fromHz, toHz }), divideInto(input, sizes)), whole);
    }),
    { numRuns: 40 },
  );
});

test('with reusesOutput, the output is the same', () => {
  const input = noise(9000, 0.5);
  const fresh = new Resampler({ fromHz: 24000, toHz: 44100 });
  const reusing = new Resampler({ fromHz: 24000, toHz: 44100, reusesOutput: true });
  for (const part of divideInto(input, [1000, 3000, 10])) {
    assert.deepEqual([...reusing.process(part)], [...fresh.process(part)]);
  }
  assert.deepEqual([...reusing.flush()], [...fresh.flush()]);
});

test('two streams with the same rates are independent', () => {
  const rates = { fromHz: 24000, toHz: 44100 };
  const [a, b] = [noise(10000, 0.5, 1), noise(10000, 0.5, 2)];
  const [first, second] = [new Resampler(rates), new Resampler(rates)];
  const outputs: Float32Array[][] = [[], []];
  for (let offset = 0; offset < 10000; offset += 777) {
    outputs[0]?.push(first.process(a.subarray(offset, offset + 777)));
    outputs[1]?.push(second.process(b.subarray(offset, offset + 777)));
  }
  const join = (parts: Float32Array[], end: Float32Array) =>
    parts.flatMap((part) => [...part]).concat([...end]);
  assert.deepEqual(join(outputs[0] as Float32Array[], first.flush()), [...resample(a, 24000, 44100)]);
  assert.deepEqual(join(outputs[1] as Float32Array[], second.flush()), [...resample(b, 24000, 44100)]);
});

for (const { fromHz, toHz } of PAIRS) {
  test(`${fromHz} to ${toHz} Hz: flat pass band, attenuated stop band`, () => {
    const nyquistHz = Math.min(fromHz, toHz) / 2;
    const flatPart = toHz > fromHz ? 0.86 : 0.9;
    for (const part of [0.05, 0.4, 0.8, flatPart]) {
      const frequencyHz = part * nyquistHz;
      const output = steadyPart(
        resample(tone({ frequencyHz, sampleRateHz: fromHz, seconds: 0.5 }), fromHz, toHz),
      );
      const gainDb = 20 * Math.log10(amplitudeAt(output, frequencyHz, toHz) / 0.5);
      assert.ok(Math.abs(gainDb) < 0.02, `${frequencyHz} Hz: ${gainDb} dB`);
    }
    if (toHz < fromHz) {
      for (const part of [1, 1.1, 1.5, 2.3].filter((each) => each * toHz < fromHz)) {
        const frequencyHz = (part * toHz) / 2;
        const output = steadyPart(
          resample(tone({ frequencyHz, sampleRateHz: fromHz, seconds: 0.5 }), fromHz, toHz),
        );
        const remainingDb = 20 * Math.log10(peak(output) / 0.5);
        assert.ok(remainingDb < -80, `${frequencyHz} Hz is attenuated to ${remainingDb} dB`);
      }
    } else {
      for (const part of [0.3, 0.85]) {
        const frequencyHz = part * nyquistHz;
        const output = steadyPart(
          resample(tone({ frequencyHz, sampleRateHz: fromHz, seconds: 0.5 }), fromHz, toHz),
        );
        const imageHz = fromHz - frequencyHz;
        const imageDb = 20 * Math.log10(amplitudeAt(output, imageHz, toHz) / 0.5);
        assert.ok(imageDb < -80, `image of ${frequencyHz} Hz at ${imageHz} Hz: ${imageDb} dB`);
      }
    }
  });
}

test('a constant input gives a constant output', () => {
  for (const { fromHz, toHz } of PAIRS) {
    const output = steadyPart(resample(new Float32Array(fromHz >> 1).fill(0.5), fromHz, toHz));
    assert.ok(output.every((sample) => Math.abs(sample - 0.5) < 1e-5));
  }
});

test('an impulse keeps its position', () => {
  for (const { fromHz, toHz } of PAIRS) {
    const input = new Float32Array(fromHz);
    input[fromHz / 2] = 1;
    const output = resample(input, fromHz, toHz);
    const loudest = output.indexOf(output.reduce((max, sample) => Math.max(max, sample), 0));
    assert.ok(Math.abs(loudest - toHz / 2) <= 0.5, `${fromHz} to ${toHz} Hz: at ${loudest}`);
  }
});

test('upsampling and downsampling restores a tone', () => {
  const input = tone({ frequencyHz: 1234, sampleRateHz: 24000, seconds: 0.5 });
  const back = resample(resample(input, 24000, 44100), 44100, 24000);
  assert.equal(back.length, input.length);
  for (let i = 500; i < input.length - 500; i++) {
    assert.ok(Math.abs((back[i] as number) - (input[i] as number)) < 5e-5);
  }
});

test('equal rates pass samples unchanged', () => {
  const input = noise(100);
  const resampler = new Resampler({ fromHz: 24000, toHz: 24000 });
  assert.equal(resampler.process(input), input);
  assert.equal(resampler.flush().length, 0);
});

test('rates with too many phases are rejected', () => {
  assert.throws(() => new Resampler({ fromHz: 44101, toHz: 48000 }), RangeError);
  assert.throws(() => new Resampler({ fromHz: 0, toHz: 48000 }), RangeError);
  assert.throws(() => new Resampler({ fromHz: 24000.5, toHz: 48000 }), RangeError);
});
