import fc from 'fast-check';
import { joinSamples } from '../../../src/audio/pcm.ts';

/** A sine for tests. */
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

/** White noise in [-amplitude, amplitude] that is the same in every run. */
export function noise(length: number, amplitude = 0.5, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

/** Something with the rise and fall, harmonics and breath of speech. */
export function speechLike(length: number, sampleRateHz: number): Float32Array {
  const breath = noise(length, 0.004);
  let angle = 0;
  return Float32Array.from({ length }, (_, i) => {
    const t = i / sampleRateHz;
    angle += (2 * Math.PI * (120 + 25 * Math.sin(5 * t))) / sampleRateHz;
    let voice = 0;
    for (let harmonic = 1; harmonic <= 6; harmonic++) voice += Math.sin(harmonic * angle) / harmonic;
    return 0.2 * voice * Math.sin(Math.PI * 2.3 * t) ** 2 + (breath[i] as number);
  });
}

/** Cuts samples into pieces of the given sizes, round and round. */
export function cutInto(samples: Float32Array, sizes: readonly number[]): Float32Array[] {
  const parts: Float32Array[] = [];
  for (let offset = 0, turn = 0; offset < samples.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    parts.push(samples.subarray(offset, offset + size));
    offset += size;
  }
  return parts;
}

/** Sizes for `cutInto`: some tiny, some larger than any block inside. */
export const chunkSizes = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 9000 })),
  {
    minLength: 1,
    maxLength: 8,
  },
);

/** Something that turns a stream of samples into another. */
export interface SampleStage {
  process(samples: Float32Array): Float32Array;
  flush(): Float32Array;
}

/** All a stage makes of the parts. */
export function runStage(stage: SampleStage, parts: readonly Float32Array[]): Float32Array {
  return joinSamples([...parts.map((part) => stage.process(part).slice()), stage.flush()]);
}

/** Level of one frequency in the samples as the amplitude of a sine, under a window that hides its neighbours. */
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

/** The shift of `heard` against `said`, within the reach, at which the two differ least. */
export function bestLag(said: Float32Array, heard: Float32Array, reach: number): number {
  let best = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let lag = -reach; lag <= reach; lag++) {
    let error = 0;
    for (let i = reach; i < said.length - reach; i++) {
      error += ((said[i] as number) - (heard[i + lag] ?? 0)) ** 2;
    }
    if (error < smallest) {
      smallest = error;
      best = lag;
    }
  }
  return best;
}
