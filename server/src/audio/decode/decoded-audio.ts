/** A chunk of decoded audio, one array per channel. Samples are floats, nominally in [-1, 1]. */
export interface DecodedAudio {
  /** At least one; all have the same length. */
  readonly channels: readonly Float32Array[];
  readonly sampleRateHz: number;
}

/** Throws when a duration, declared in a header or decoded so far, is above the maximum. */
export type DurationCheck = (seconds: number) => void;

/** Maximum number of frames in one `DecodedAudio`. */
export const MAX_CHUNK_FRAMES = 32768;

/** A header outside these limits is treated as damaged. */
export const MAX_CHANNELS = 32;
export const MIN_SAMPLE_RATE_HZ = 1000;
export const MAX_SAMPLE_RATE_HZ = 384000;

/** Splits audio into chunks of at most `MAX_CHUNK_FRAMES`. */
export function* splitIntoChunks(audio: DecodedAudio): Generator<DecodedAudio> {
  const frames = audio.channels[0]?.length ?? 0;
  if (frames > 0 && frames <= MAX_CHUNK_FRAMES) yield audio;
  else {
    for (let start = 0; start < frames; start += MAX_CHUNK_FRAMES) {
      const channels = audio.channels.map((samples) => samples.subarray(start, start + MAX_CHUNK_FRAMES));
      yield { channels, sampleRateHz: audio.sampleRateHz };
    }
  }
}
