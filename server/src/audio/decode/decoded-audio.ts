/** A stretch of decoded sound, one array for each channel. Samples are floats around [-1, 1]. */
export interface DecodedAudio {
  /** At least one; all have the same length. */
  readonly channels: readonly Float32Array[];
  readonly sampleRateHz: number;
}

/** Told how long a file claims to be before any of it is decoded. Throws when that is too long. */
export type ClaimCheck = (claimedSeconds: number) => void;

/** Frames in one `DecodedAudio` at most. */
export const MAX_CHUNK_FRAMES = 32768;

/** Beyond these a header is taken for damaged. */
export const MAX_CHANNELS = 32;
export const MIN_SAMPLE_RATE_HZ = 1000;
export const MAX_SAMPLE_RATE_HZ = 384000;

/** Cuts a stretch into ones of bounded length. */
export function* inChunks(audio: DecodedAudio): Generator<DecodedAudio> {
  const frames = audio.channels[0]?.length ?? 0;
  if (frames > 0 && frames <= MAX_CHUNK_FRAMES) yield audio;
  else {
    for (let start = 0; start < frames; start += MAX_CHUNK_FRAMES) {
      const channels = audio.channels.map((samples) => samples.subarray(start, start + MAX_CHUNK_FRAMES));
      yield { channels, sampleRateHz: audio.sampleRateHz };
    }
  }
}
