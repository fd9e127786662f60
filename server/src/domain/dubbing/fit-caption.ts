import type { ParsedCaption } from '../captions/parse-captions.ts';

/** Speaks a caption at a speaking rate, and returns its samples. */
export type SpeakCaption<Caption extends ParsedCaption = ParsedCaption> = (
  caption: Caption,
  speed: number,
) => Promise<Float32Array>;

export interface FitOptions {
  readonly sampleRateHz: number;
  /** Maximum speaking rate. */
  readonly maxSpeed: number;
}

/** A spoken caption. */
export interface FittedCaption {
  readonly samples: Float32Array;
  readonly speed: number;
  /** Whether the speech ends within the time of the caption. */
  readonly fits: boolean;
}

/** Above this level a sample is speech. */
const SPEECH_LEVEL = 10 ** (-46 / 20);
/** Kept before the onset and after the end of speech. */
const MARGIN_SECONDS = 0.015;
/** Pauses and onsets do not shrink with the speaking rate, so a little more is requested. */
const SPEED_RESERVE = 1.03;

/** Speaks a caption within its time: at the rate of the voice if possible, else faster, at most at `maxSpeed`. */
export async function fitCaption<Caption extends ParsedCaption>(
  caption: Caption,
  speak: SpeakCaption<Caption>,
  options: FitOptions,
): Promise<FittedCaption> {
  const { sampleRateHz, maxSpeed } = options;
  const available = Math.round((caption.endSeconds - caption.startSeconds) * sampleRateHz);
  const speakAt = async (speed: number): Promise<FittedCaption> => {
    const samples = trimSilence(await speak(caption, speed), sampleRateHz);
    return { samples, speed, fits: samples.length <= available };
  };
  const natural = await speakAt(1);
  if (natural.fits || maxSpeed <= 1) return natural;
  const needed = (natural.samples.length / available) * SPEED_RESERVE;
  const faster = await speakAt(Math.min(maxSpeed, needed));
  return faster.fits || faster.speed === maxSpeed ? faster : speakAt(maxSpeed);
}

/** Removes silence before and after speech. */
export function trimSilence(samples: Float32Array, sampleRateHz: number): Float32Array {
  const margin = Math.round(MARGIN_SECONDS * sampleRateHz);
  const isSpeech = (sample: number) => Math.abs(sample) > SPEECH_LEVEL;
  const first = samples.findIndex(isSpeech);
  if (first < 0) return samples.subarray(0, 0);
  const last = samples.findLastIndex(isSpeech);
  return samples.subarray(Math.max(0, first - margin), last + 1 + margin);
}
