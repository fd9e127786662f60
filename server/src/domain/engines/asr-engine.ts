/** Sample rate of all audio that ASR, VAD and speaker embedding models receive. */
export const ASR_SAMPLE_RATE_HZ = 16_000;

/** Options for one segment of speech. */
export interface AsrOptions {
  /** ISO 639-1. Absent: a multilingual engine detects the language. */
  readonly language?: string | undefined;
  /** Whether to translate to English. Ignored by engines of one language. */
  readonly isTranslated?: boolean | undefined;
  /** Text that precedes the segment. It biases names and spelling towards those it contains. */
  readonly prompt?: string | undefined;
  /** Words that are likely to occur, such as names. Ignored by engines without hotword support. */
  readonly hotwords?: readonly string[] | undefined;
  /** Whether to compute word times. */
  readonly wordTimes?: boolean | undefined;
  /**
   * The tokens of an earlier result for the beginning of the same audio, which save most steps of the decoder: without
   * word times an engine may keep all but the last of them, with word times it verifies each.
   */
  readonly earlier?: DecodedText | undefined;
  /** Aborting takes effect before the next decoder step. */
  readonly signal: AbortSignal;
  /** Runs one inference; waits while inferences of other tasks have priority. Default: runs it at once. */
  readonly runStep?: (<T>(step: () => Promise<T>) => Promise<T>) | undefined;
}

/** Runs an inference at once. */
export const runAtOnce = <T>(step: () => Promise<T>): Promise<T> => step();

/** Tokens of an engine with their log probabilities. */
export interface DecodedText {
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
}

/** A recognized word, in seconds from the start of the segment. */
export interface AsrWord {
  /** With its punctuation, without spaces. */
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Geometric mean of the token probabilities, 0 to 1. */
  readonly confidence: number;
  /** Median F0. Present when requested and the word is voiced. Added by the pipeline, not by engines. */
  readonly pitchHz?: number | undefined;
}

/** The result for one segment. */
export interface AsrResult {
  /** Trimmed; empty if no speech was recognized. */
  readonly text: string;
  /** In order, without overlap. Empty if word times were not requested. */
  readonly words: readonly AsrWord[];
  /** ISO 639-1: the requested language, or the detected one. */
  readonly language: string;
  /** Probability of `language`, 0 to 1; 1 if it was requested or is the engine's only language. */
  readonly languageProbability: number;
  /** Geometric mean of all token probabilities, 0 to 1; 0 for an empty text. */
  readonly confidence: number;
  /** The model's no-speech probability, 0 to 1; undefined for models without one. */
  readonly noSpeech: number | undefined;
  /** The decoder repeated itself or reached its token limit, and the text was truncated. Its end is unreliable. */
  readonly isTruncated: boolean;
  /** For `AsrOptions.earlier` of a later call. Absent: the engine does not support it. */
  readonly decoded?: DecodedText | undefined;
}

/** A language and its probability, 0 to 1. */
export interface LanguageProbability {
  /** ISO 639-1. */
  readonly language: string;
  readonly probability: number;
}

/** One loaded speech recognition model. Belongs to one worker process. */
export interface AsrEngine {
  readonly name: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Maximum duration of a segment; longer ones throw a `RangeError`. */
  readonly maxSeconds: number;
  /** Transcribes one segment of mono audio at `ASR_SAMPLE_RATE_HZ`. Never throws because of the audio's content. */
  transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult>;
  /** The most probable languages of a segment, best first. Monolingual engines return their language. */
  detectLanguage(samples: Float32Array, signal: AbortSignal): Promise<readonly LanguageProbability[]>;
  close(): Promise<void>;
}

/** Samples per VAD frame: 32 ms. */
export const VAD_FRAME_SAMPLES = 512;

/** Voice activity detection over one audio stream. */
export interface VadStream {
  /**
   * Appends any number of samples and returns the speech probability of each frame they complete. An incomplete
   * frame is buffered for the next call.
   */
  push(samples: Float32Array): Promise<Float32Array>;
  /** The speech probability of the incomplete frame, padded with zeros; empty if there is none. */
  flush(): Promise<Float32Array>;
}

/** A loaded VAD model. Its streams are independent of each other. */
export interface VadModel {
  open(): VadStream;
  close(): Promise<void>;
}

/** A loaded speaker embedding model. */
export interface SpeakerEmbedder {
  /**
   * The speaker embedding of a segment at `ASR_SAMPLE_RATE_HZ`, of unit length: the cosine similarity of two
   * embeddings rises with the probability that they are from one speaker. Undefined if there is too little
   * speech.
   */
  embed(samples: Float32Array): Promise<readonly number[] | undefined>;
  /** Analyses a phrase once, after which embeddings of many ranges of it cost little. */
  openPhrase(samples: Float32Array): Promise<PhraseEmbedder>;
  close(): Promise<void>;
}

/** A part of a phrase, in seconds from its start. */
export interface TimeRange {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Speaker embeddings of ranges of one phrase. */
export interface PhraseEmbedder {
  /**
   * Embeddings of unit length; undefined where there is too little speech. The mean that is subtracted from the features
   * of a range is that of the phrase around it, so two ranges of one phrase are comparable, and a whole phrase is with others.
   */
  embed(ranges: readonly TimeRange[]): Promise<readonly (readonly number[] | undefined)[]>;
}

/** What an ASR engine needs while it loads. */
export interface AsrEngineContext {
  /** Path of a file of an installed model. */
  file(modelId: string, name: string): Promise<string>;
  /**
   * Path of a derived artefact: a file computed once from a model and stored beside it. `make` writes it, under
   * a lock, to the path it receives. A changed `version` recomputes it.
   */
  derive(
    modelId: string,
    name: string,
    version: number,
    make: (path: string) => Promise<void>,
  ): Promise<string>;
  /** Maximum number of threads of one inference. */
  readonly threads: number;
}

/** An engine's entry in the registry. It is available without loading the engine's code or models. */
export interface AsrEngineDefinition {
  readonly name: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** Catalogue ids of the models the engine needs. */
  readonly models: readonly string[];
  load(context: AsrEngineContext): Promise<AsrEngine>;
}
