/** The rate of all audio that engines hear. */
export const ASR_SAMPLE_RATE_HZ = 16_000;

/** What is asked of one stretch of speech. */
export interface AsrOptions {
  /** ISO 639-1. Without it an engine of several languages finds out by itself. */
  readonly language?: string | undefined;
  /** Text that could have come before: its names and its spelling are taken up where the sound allows it. */
  readonly prompt?: string | undefined;
  /** Words that are likely to be said, such as names. An engine that cannot use them ignores them. */
  readonly hotwords?: readonly string[] | undefined;
  /** Whether word times are wanted; they cost a little. */
  readonly wordTimes?: boolean | undefined;
  /** Aborting stops before the next step of the decoder. */
  readonly signal: AbortSignal;
}

/** A word as it was heard, in seconds from the start of the stretch. */
export interface AsrWord {
  /** With its punctuation, without spaces. */
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Geometric mean of the probabilities of its tokens, 0 to 1. */
  readonly confidence: number;
}

/** What an engine heard in one stretch. */
export interface AsrResult {
  /** Trimmed; empty when there was nothing to hear. */
  readonly text: string;
  /** Empty when word times were not asked for. They are in order and do not overlap. */
  readonly words: readonly AsrWord[];
  /** ISO 639-1: the one given, or the one detected. */
  readonly language: string;
  /** How sure the engine is that this language is spoken, 0 to 1; 1 when it was given, or is the only one. */
  readonly languageProbability: number;
  /** Geometric mean of the probabilities of all tokens, 0 to 1; 0 for an empty text. */
  readonly confidence: number;
  /** The model's own opinion that nobody speaks here, 0 to 1, where it has one. */
  readonly noSpeech: number | undefined;
  /** The text was cut because the decoder went round in circles or ran out of room: do not trust its tail. */
  readonly isTruncated: boolean;
}

/** A language with how sure the model is of it. */
export interface LanguageProbability {
  /** ISO 639-1. */
  readonly language: string;
  readonly probability: number;
}

/** One loaded speech-to-text model. Lives inside a hearing worker; never shared between two. */
export interface AsrEngine {
  readonly name: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** The longest stretch it takes at once; a longer one is refused with `RangeError`. */
  readonly maxSeconds: number;
  /** Transcribes one stretch of mono sound at `HEARING_RATE_HZ`. Never throws for its content. */
  transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult>;
  /** The likeliest languages of a stretch, best first. Engines of one language answer with it. */
  detectLanguage(samples: Float32Array, signal: AbortSignal): Promise<readonly LanguageProbability[]>;
  close(): Promise<void>;
}

/** How many samples one frame of voice activity covers: 32 ms. */
export const VAD_FRAME_SAMPLES = 512;

/** Follows one stream and says for each frame how likely somebody speaks. */
export interface VadStream {
  /**
   * Takes the next samples, any number of them, and gives the probability of speech for each whole frame they
   * complete. What is left over counts towards the next call.
   */
  push(samples: Float32Array): Promise<Float32Array>;
  /** The probability of the rest, filled up with silence; empty when nothing is left. */
  flush(): Promise<Float32Array>;
}

/** A loaded model of voice activity: any number of streams over one session. */
export interface VadModel {
  open(): VadStream;
  close(): Promise<void>;
}

/** A loaded model that knows voices by their sound. */
export interface SpeakerEmbedder {
  /**
   * The voice in a stretch at `HEARING_RATE_HZ` as numbers of unit length: the closer two are, the likelier it is
   * one voice. Undefined when there is too little speech.
   */
  embed(samples: Float32Array): Promise<readonly number[] | undefined>;
  close(): Promise<void>;
}

/** What a hearing engine finds when it is loaded. */
export interface AsrEngineContext {
  /** A file of an installed model. */
  file(modelId: string, name: string): Promise<string>;
  /** A file made from a model once and kept beside it: `make` writes it, under a lock, to the path it is given. */
  derive(
    modelId: string,
    name: string,
    version: number,
    make: (path: string) => Promise<void>,
  ): Promise<string>;
  /** Threads one inference may use. */
  readonly threads: number;
}

/** How the registry knows a hearing engine before anything of it is loaded. */
export interface AsrEngineDefinition {
  readonly name: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
  /** The models it needs, by their ids in the catalogue. */
  readonly models: readonly string[];
  load(context: AsrEngineContext): Promise<AsrEngine>;
}
