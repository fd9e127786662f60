import { Resampler } from '../dsp/resampler.ts';
import { greatestCommonDivisor } from '../dsp/resampler-filter.ts';
import type { DecodedAudio } from './decoded-audio.ts';

// Ratios with more phases need large tables; every pair of common rates has fewer.
const MAX_EXACT_PHASES = 1000;

// 0.05 % is less than a hundredth of a semitone.
const RATE_TOLERANCE = 0.0005;

/** Mixes the channels to mono and resamples, chunk by chunk. The input of ASR engines and voice encoders. */
export async function* toMono(
  audio: AsyncIterable<DecodedAudio>,
  sampleRateHz: number,
): AsyncGenerator<Float32Array> {
  for await (const [mixed] of resample(audio, sampleRateHz, (channels) => [mixChannels(channels)])) {
    yield mixed!;
  }
}

/** Resamples each channel, chunk by chunk. The first chunk determines the number of channels. */
export async function* toChannels(
  audio: AsyncIterable<DecodedAudio>,
  sampleRateHz: number,
): AsyncGenerator<readonly Float32Array[]> {
  let count: number | undefined;
  yield* resample(audio, sampleRateHz, (channels) => {
    count ??= channels.length;
    // Chained streams may change the number of channels; missing channels are silent.
    return Array.from(
      { length: count },
      (_, index) => channels[index] ?? new Float32Array(channels[0]!.length),
    );
  });
}

/** Resamples the tracks that `tracksOf` derives from the channels. All tracks of a chunk have the same length. */
async function* resample(
  audio: AsyncIterable<DecodedAudio>,
  toHz: number,
  tracksOf: (channels: readonly Float32Array[]) => readonly Float32Array[],
): AsyncGenerator<readonly Float32Array[]> {
  let resamplers: readonly Resampler[] = [];
  let fromHz = 0;
  for await (const chunk of audio) {
    const tracks = tracksOf(chunk.channels);
    if (chunk.sampleRateHz !== fromHz) {
      // Chained streams may change the sample rate.
      yield* nonEmpty(resamplers.map((resampler) => resampler.flush()));
      fromHz = chunk.sampleRateHz;
      const rates = { fromHz: practicalRateHz(fromHz, toHz), toHz };
      resamplers = tracks.map(() => new Resampler(rates));
    }
    yield* nonEmpty(tracks.map((track, index) => resamplers[index]!.process(track)));
  }
  yield* nonEmpty(resamplers.map((resampler) => resampler.flush()));
}

/** The mean of all channels. */
export function mixChannels(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0)] = channels;
  if (channels.length < 2) return first;
  const mixed = new Float32Array(first.length);
  for (const samples of channels) {
    for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) + (samples[i] as number);
  }
  for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) / channels.length;
  return mixed;
}

/** The rate itself, or a rate within the tolerance when the ratio has too many phases. */
function practicalRateHz(fromHz: number, toHz: number): number {
  if (toHz / greatestCommonDivisor(fromHz, toHz) <= MAX_EXACT_PHASES) return fromHz;
  let grid = 1;
  for (let divisor = 2; divisor <= 2 * RATE_TOLERANCE * fromHz; divisor++) {
    if (toHz % divisor === 0) grid = divisor;
  }
  return Math.round(fromHz / grid) * grid;
}

function* nonEmpty(tracks: readonly Float32Array[]): Generator<readonly Float32Array[]> {
  if ((tracks[0]?.length ?? 0) > 0) yield tracks;
}
