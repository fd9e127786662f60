import type { Features } from './features.ts';

/** The voice as a decoder takes it, and the noise that makes breath and consonants. */
export interface DecoderInput {
  readonly features: Features;
  /** The voice's row of 256 numbers. */
  readonly style: Float32Array;
  readonly seed: number;
}

/** The second half of Kokoro: features to samples. */
export interface KokoroDecoder {
  /** Frames a window needs on each side to sound as if the whole had been decoded; undefined: no windows. */
  readonly contextFrames: number | undefined;
  /** Brings what is decoded without pitch to the level of a whisper beside the same voice. */
  readonly whisperGain: number;
  /** Prepares one utterance. */
  begin(input: DecoderInput): DecodingJob;
  close(): Promise<void>;
}

/** One utterance on its way through a decoder. */
export interface DecodingJob {
  /** Samples of the frames `[from, to)`, decoded with the decoder's context around them. */
  decode(from: number, to: number): Promise<Float32Array>;
}
