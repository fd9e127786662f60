/** A voice as Home Assistant lists it. */
export interface ListedVoice {
  readonly id: string;
  readonly title: string;
  readonly languages: readonly string[];
}

/** The voice and the language that a client requests. */
export interface RequestedVoice {
  readonly name: string | undefined;
  readonly language: string | undefined;
}

/** Raw audio with 16-bit samples. */
export interface RawAudioFormat {
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
}

/** Speech and transcription behind the protocol. */
export interface WyomingBackend {
  /** Sample rate of `speak`. */
  readonly sampleRateHz: number;
  listVoices(signal: AbortSignal): Promise<readonly ListedVoice[]>;
  /** Languages of transcription, ISO 639-1. */
  readonly transcriptionLanguages: readonly string[];
  /** Speaks a text while it arrives: raw audio with 16-bit samples, one channel. */
  speak(text: AsyncIterable<string>, voice: RequestedVoice, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Transcribes audio while it arrives. */
  transcribe(
    audio: AsyncIterable<Uint8Array>,
    options: RawAudioFormat & { readonly language: string | undefined },
    signal: AbortSignal,
  ): Promise<string>;
}
