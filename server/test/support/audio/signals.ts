import fc from 'fast-check';
import { joinSamples } from '../../../src/audio/pcm.ts';

/** A sine. */
export function tone(options: {
  readonly frequencyHz: number;
  readonly sampleRateHz: number;
  readonly seconds: number;
  readonly amplitude?: number;
}): Float32Array {
  const { frequencyHz, sampleRateHz, seconds, amplitude = 0.5 } = options;
  return Float32Array.from(
    { length: Math.round(seconds * sampleRateHz) },
    (_, i) => amplitude * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz),
  );
}

/** White noise in [-amplitude, amplitude], equal for equal seeds. */
export function noise(length: number, amplitude = 0.5, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

/** A signal with the intonation, harmonics, envelope and aspiration noise of speech. */
export function speechLike(length: number, sampleRateHz: number): Float32Array {
  const aspiration = noise(length, 0.004);
  let angle = 0;
  return Float32Array.from({ length }, (_, i) => {
    const t = i / sampleRateHz;
    angle += (2 * Math.PI * (120 + 25 * Math.sin(5 * t))) / sampleRateHz;
    let voice = 0;
    for (let harmonic = 1; harmonic <= 6; harmonic++) voice += Math.sin(harmonic * angle) / harmonic;
    return 0.2 * voice * Math.sin(Math.PI * 2.3 * t) ** 2 + (aspiration[i] as number);
  });
}

/** Divides samples into parts of the given sizes, which repeat. */
export function divideInto(samples: Float32Array, sizes: readonly number[]): Float32Array[] {
  const parts: Float32Array[] = [];
  for (let offset = 0, index = 0; offset < samples.length; index++) {
    const size = sizes[index % sizes.length] as number;
    parts.push(samples.subarray(offset, offset + size));
    offset += size;
  }
  return parts;
}

/** Sizes for `divideInto`: some tiny, some larger than any internal block. */
export const chunkSizes = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 9000 })),
  {
    minLength: 1,
    maxLength: 8,
  },
);

/** A stage that processes a stream of samples. */
export interface SampleStage {
  process(samples: Float32Array): Float32Array;
  flush(): Float32Array;
}

/** The output of a stage for the parts. */
export function runStage(stage: SampleStage, parts: readonly Float32Array[]): Float32Array {
  return joinSamples([...parts.map((part) => stage.process(part).slice()), stage.flush()]);
}

/** The amplitude of the sine at a frequency, measured with a Blackman-Harris window. */
export function amplitudeAt(samples: Float32Array, frequencyHz: number, sampleRateHz: number): number {
  let real = 0;
  let imaginary = 0;
  let weight = 0;
  for (let i = 0; i < samples.length; i++) {
    const x = (2 * Math.PI * i) / samples.length;
    const window = 0.35875 - 0.48829 * Math.cos(x) + 0.14128 * Math.cos(2 * x) - 0.01168 * Math.cos(3 * x);
    const angle = (2 * Math.PI * frequencyHz * i) / sampleRateHz;
    real += window * (samples[i] as number) * Math.cos(angle);
    imaginary += window * (samples[i] as number) * Math.sin(angle);
    weight += window;
  }
  return (2 * Math.hypot(real, imaginary)) / weight;
}

/** Root mean square. */
export function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** Largest absolute value. */
export function peak(samples: Float32Array): number {
  return samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
}

/** The lag of `actual` relative to `expected`, at most `maxLag`, with the smallest squared error. */
export function bestLag(expected: Float32Array, actual: Float32Array, maxLag: number): number {
  let best = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let lag = -maxLag; lag <= maxLag; lag++) {
    let error = 0;
    for (let i = maxLag; i < expected.length - maxLag; i++) {
      error += ((expected[i] as number) - (actual[i + lag] ?? 0)) ** 2;
    }
    if (error < smallest) {
      smallest = error;
      best = lag;
    }
  }
  return best;
}
