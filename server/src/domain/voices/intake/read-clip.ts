import { type DecodeOptions, decodeAudio } from '../../../audio/decode/decode-audio.ts';
import { mixChannels, toMono } from '../../../audio/decode/mix-and-resample.ts';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { ANALYSIS_RATE_HZ, HOP_SECONDS, measureFrames } from './clip-frames.ts';
import { type ClipJudgement, judgeClip } from './clip-verdict.ts';
import { ClippingMeter } from './clipping-meter.ts';
import type { SpeechRegion } from './speech-regions.ts';

/** A decoded recording with its verdicts and its speech. */
export interface Clip extends ClipJudgement {
  readonly durationSeconds: number;
  /** Mono at the requested rate, without long pauses, at a normalized level. Empty without speech. */
  readonly speechSamples: Float32Array;
}

export interface ReadClipOptions extends DecodeOptions {
  /** Sample rate of `Clip.speechSamples`. */
  readonly sampleRateHz: number;
  readonly speechMinSeconds: number;
}

/** Maximum duration that is used of a recording. */
export const USED_MAX_SECONDS = 60;

const PADDING_SECONDS = 0.12;
const SPEECH_RMS = 0.08;
const SPEECH_PEAK = 0.95;

/** Decodes and judges a recording, and extracts its speech. Throws like `decodeAudio`. */
export async function readClip(file: AsyncIterable<Uint8Array>, options: ReadClipOptions): Promise<Clip> {
  const clipping = new ClippingMeter();
  async function* metered() {
    for await (const chunk of decodeAudio(file, options)) {
      clipping.push(mixChannels(chunk.channels));
      yield chunk;
    }
  }
  const parts: Float32Array[] = [];
  for await (const part of toMono(metered(), options.sampleRateHz)) parts.push(part.slice());
  const samples = joinSamples(parts);
  const durationSeconds = samples.length / options.sampleRateHz;
  const frames = await measureFrames(
    resample(samples, options.sampleRateHz, ANALYSIS_RATE_HZ),
    options.signal,
  );
  const judgement = judgeClip(frames, {
    clippedShare: clipping.share(),
    durationSeconds,
    speechMinSeconds: options.speechMinSeconds,
    usedMaxSeconds: USED_MAX_SECONDS,
  });
  const used = densestRegions(judgement.speech, durationSeconds);
  return {
    ...judgement,
    durationSeconds,
    speechSamples: normalizeLevel(extractRegions(samples, used, options.sampleRateHz)),
  };
}

/** Resamples a complete recording. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampler = new Resampler({ fromHz, toHz });
  return joinSamples([resampler.process(samples), resampler.flush()]);
}

/** The regions within the minute that has the most speech. */
function densestRegions(regions: readonly SpeechRegion[], durationSeconds: number): readonly SpeechRegion[] {
  if (durationSeconds <= USED_MAX_SECONDS) return regions;
  const window = USED_MAX_SECONDS / HOP_SECONDS;
  const inside = (from: number) =>
    regions.flatMap(({ start, end }) => {
      const cut = { start: Math.max(start, from), end: Math.min(end, from + window) };
      return cut.end > cut.start ? [cut] : [];
    });
  const length = (cut: readonly SpeechRegion[]) => cut.reduce((sum, { start, end }) => sum + end - start, 0);
  // The best window starts with a region.
  return regions
    .map(({ start }) => inside(start))
    .reduce((best, cut) => (length(cut) > length(best) ? cut : best), []);
}

/** Concatenates the regions with some padding. */
function extractRegions(
  samples: Float32Array,
  regions: readonly SpeechRegion[],
  sampleRateHz: number,
): Float32Array {
  const parts: Float32Array[] = [];
  let done = 0;
  for (const { start, end } of regions) {
    const from = Math.max(done, Math.round((start * HOP_SECONDS - PADDING_SECONDS) * sampleRateHz));
    done = Math.min(samples.length, Math.round((end * HOP_SECONDS + PADDING_SECONDS) * sampleRateHz));
    if (done > from) parts.push(samples.subarray(from, done));
  }
  return joinSamples(parts);
}

/** Scales speech to a common RMS level, limited by its peak. */
function normalizeLevel(samples: Float32Array): Float32Array {
  let power = 0;
  let peak = 0;
  for (const sample of samples) {
    power += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  if (peak === 0) return samples;
  const gain = Math.min(SPEECH_RMS / Math.sqrt(power / samples.length), SPEECH_PEAK / peak);
  return samples.map((sample) => sample * gain);
}
