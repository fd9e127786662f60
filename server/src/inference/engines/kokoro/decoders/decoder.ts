import type { NativeArticulation } from '../clone-vectors/native-articulation.ts';
import type { Features } from '../networks/features.ts';

/** Input of a decoder: features, style and the seed of its noise source. */
export interface DecoderInput {
  readonly features: Features;
  /** Style row of the voice, 256 values. */
  readonly style: Float32Array;
  /** Voice vector of a cloned voice, for decoders that accept one. It replaces the timbre of the style. */
  readonly decoderVoice?: Float32Array | undefined;
  readonly seed: number;
}

/** The second half of Kokoro: features to samples. */
export interface KokoroDecoder {
  /** Context frames per side that make a window equal to full decoding; undefined: no windowed decoding. */
  readonly contextFrames: number | undefined;
  /** Gain that brings audio decoded without pitch to the level of a whisper of the same voice. */
  readonly whisperGain: number;
  /** The same for cloned voices, if it differs. */
  readonly cloneWhisperGain?: number;
  /**
   * The voice vector of a clone with the articulation of a native voice of another language, at the long-term spectrum
   * that the clone has in `features`. Only decoders that accept clones have it.
   */
  articulate?(
    decoderVoice: Float32Array,
    native: NativeArticulation,
    features: Features,
  ): Promise<Float32Array>;
  /** Prepares one utterance. */
  begin(input: DecoderInput): DecodingJob;
  close(): Promise<void>;
}

/** Decoding of one utterance. */
export interface DecodingJob {
  /** Samples of the frames `[from, to)`, decoded with the decoder's context around them. */
  decode(from: number, to: number): Promise<Float32Array>;
}
