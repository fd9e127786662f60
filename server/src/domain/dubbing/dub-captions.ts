import type { Pcm } from '../../audio/pcm.ts';
import type { ParsedCaption } from '../captions/parse-captions.ts';
import { type FitOptions, fitCaption, type SpeakCaption } from './fit-caption.ts';

const FADE_SECONDS = 0.02;
const CHUNK_SECONDS = 1;

export interface DubOptions extends FitOptions {
  /** Called when the silence before a caption, or its speech, begins in the output. */
  readonly onCaption: (caption: ParsedCaption) => void;
}

/**
 * Speaks captions at their times. Captions that overlap are mixed. Speech that is too long even at the maximum rate
 * continues in the pause before the next caption, and is faded out there. Memory is that of a few captions.
 */
export async function* dubCaptions<Caption extends ParsedCaption>(
  captions: readonly Caption[],
  speak: SpeakCaption<Caption>,
  options: DubOptions,
): AsyncGenerator<Pcm> {
  const { sampleRateHz } = options;
  const toSample = (seconds: number) => Math.round(seconds * sampleRateHz);
  const emit = function* (samples: Float32Array): Generator<Pcm> {
    const chunk = CHUNK_SECONDS * sampleRateHz;
    for (let from = 0; from < samples.length; from += chunk)
      yield { samples: samples.subarray(from, from + chunk), sampleRateHz };
  };
  let position = 0;
  /** Speech from `position` on that is not emitted yet. */
  let pending: Float32Array = new Float32Array(0);
  for (const [index, caption] of captions.entries()) {
    const { samples } = await fitCaption(caption, speak, options);
    const start = toSample(caption.startSeconds);
    yield* emit(pending.subarray(0, start - position));
    const rest = pending.subarray(start - position);
    options.onCaption(caption);
    const silence = start - position - Math.min(pending.length, start - position);
    for (let left = silence; left > 0; left -= sampleRateHz)
      yield { samples: new Float32Array(Math.min(left, sampleRateHz)), sampleRateHz };
    position = start;
    const nextStart = captions[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const limit = Math.max(caption.endSeconds, nextStart) - caption.startSeconds;
    pending = mix(rest, fadeOutAt(samples, limit * sampleRateHz, sampleRateHz));
  }
  yield* emit(pending);
}

/** The sum. The first array is reused when it is the longer one: many captions may overlap a long one. */
function mix(one: Float32Array, two: Float32Array): Float32Array {
  let mixed = one;
  if (two.length > one.length) {
    mixed = new Float32Array(two.length);
    mixed.set(one);
  }
  for (let i = 0; i < two.length; i++) mixed[i]! += two[i]!;
  return mixed;
}

/** Cuts audio to `length` samples with a short fade. */
function fadeOutAt(samples: Float32Array, length: number, sampleRateHz: number): Float32Array {
  if (samples.length <= length) return samples;
  const cut = samples.slice(0, Math.floor(length));
  const fade = Math.min(cut.length, Math.round(FADE_SECONDS * sampleRateHz));
  for (let i = 0; i < fade; i++) cut[cut.length - 1 - i]! *= i / fade;
  return cut;
}
