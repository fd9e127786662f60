import type { Pcm } from '../../audio/pcm.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import type { Delivery } from './delivery.ts';
import type { Phonemizer } from './phonemizer.ts';
import type { VocalSound } from './vocal-sound.ts';

/** Optional features of an engine. Callers test these flags, never the engine's name. */
export interface TtsEngineCapabilities {
  /** Accepts a voice as a speaker vector, so that voices can be mixed and cloned. */
  readonly speakerVectors: boolean;
  /** Reports the time of every word. */
  readonly wordTimes: boolean;
  /** Accepts pitch and energy per frame. */
  readonly pitchAndEnergy: boolean;
  /** Decodes in windows: the first audio is available before the utterance is complete. */
  readonly windowedDecoding: boolean;
}

/** The recording whose voice a zero-shot engine imitates. */
export interface ReferenceRecording {
  /** Mono, at the sample rate of the engine. */
  readonly samples: Float32Array;
  /** Transcript of the recording; empty if unknown. */
  readonly text: string;
}

/**
 * Change of the pitch contour of synthesized speech. Stored with voices: the field names are part of the
 * database format.
 */
export interface PitchCorrection {
  /** Median F0 of the voice before the correction. */
  readonly middleHz: number;
  /** Factor on F0. */
  readonly pitchFactor: number;
  /** Factor on the distance of F0 from its median, in semitones. */
  readonly range: number;
}

/** A voice in the form that an engine accepts: by name, as a speaker vector, or as a reference recording. */
export type EngineVoice =
  | { readonly kind: 'named'; readonly name: string }
  | {
      readonly kind: 'vector';
      /** As many values as the engine's model expects. */
      readonly values: Float32Array;
      /** Correction for a voice whose pitch the vector alone does not reach. */
      readonly pitchCorrection?: PitchCorrection | undefined;
    }
  | ({ readonly kind: 'recording' } & ReferenceRecording);

/** One piece of text to synthesize, with everything the result depends on. */
export interface Utterance {
  readonly words: readonly SpokenWord[];
  /** The last words of the preceding utterance of the same voice. Context for the intonation; not synthesized. */
  readonly precedingWords?: readonly SpokenWord[];
  readonly language: Language;
  readonly voice: EngineVoice;
  /** Speaking rate relative to the voice's own: 2 is twice as fast. Does not change the pitch. */
  readonly speed: number;
  /** Equal utterances with equal seeds give equal samples. */
  readonly seed: number;
  /** One delivery per word. Absent: neutral for all words. */
  readonly deliveries?: readonly Delivery[];
  /** Pauses and vocal sounds between the words, in order. */
  readonly insertions?: readonly Insertion[];
  /** Whether word times include phoneme times. */
  readonly needsPhonemeTimes?: boolean;
  /** Loudness to which the engine brings neutral speech, if it can. Absent: the level of the model. */
  readonly loudness?: UtteranceLoudness;
  /**
   * True if the client waits for the audio: the engine may speak the first words of a sentence before it has read the rest.
   * False if the client has enough audio buffered: the engine may use larger windows, which give audio later and cost
   * less CPU. Absent: small windows of an utterance that is read completely first.
   */
  readonly isLatencyCritical?: boolean;
}

/** The loudness of an utterance, for samples as the engine gives them. */
export interface UtteranceLoudness {
  readonly targetLufs: number;
  /** Peaks above this will be limited, which reduces the loudness. */
  readonly ceilingDbfs: number;
}

/** A pause or a vocal sound before one of the words of an utterance. */
export interface Insertion {
  /** Index of the word that follows; `words.length` after the last word. */
  readonly wordIndex: number;
  readonly content:
    | { readonly kind: 'pause'; readonly seconds: number }
    | {
        readonly kind: 'sound';
        readonly sound: VocalSound;
        /** 1 is full strength, 0.5 half. */
        readonly intensity: number;
      };
}

/** The time span of a word, in seconds from the start of the utterance's audio. */
export interface WordTime {
  /** Index into `Utterance.words`. */
  readonly wordIndex: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** In order. Present if requested and available from the engine. */
  readonly phonemes?: readonly PhonemeTime[];
}

/** The time span of a phoneme, in seconds from the start of the utterance's audio. */
export interface PhonemeTime {
  /** In the symbols of the engine's phonemizer: IPA, with Kokoro's letters for diphthongs and affricates. */
  readonly symbol: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The next part of an utterance's audio. Parts follow each other without gap or overlap. */
export interface SpeechPart extends Pcm {
  /**
   * Times of the words that begin in this part, or in the following parts that carry no times. Over all parts
   * of an utterance every audible word occurs once. Engines without the `wordTimes` capability omit it.
   */
  readonly wordTimes?: readonly WordTime[];
  /** The utterance is decoded: what follows this part takes hardly any time. */
  readonly endsDecoding?: true;
}

/** One loaded text-to-speech model. Belongs to one worker process. */
export interface TtsEngine {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly capabilities: TtsEngineCapabilities;
  readonly languages: readonly Language[];
  readonly voices: readonly string[];
  /**
   * Synthesizes an utterance and yields its audio in parts, each as early as possible. One step of the iterator
   * is bounded (well under a second), so that a worker can interleave utterances; it may yield an empty part.
   * Aborting takes effect before the next step.
   */
  speak(utterance: Utterance, signal: AbortSignal): AsyncIterable<SpeechPart>;
  close(): Promise<void>;
}

/** What an engine needs while it loads: model files, assets, and resources shared within the worker. */
export interface TtsEngineContext {
  /** Path of a file of an installed model. */
  file(modelId: string, name: string): Promise<string>;
  /** Path of the folder of an installed model. */
  folder(modelId: string): Promise<string>;
  /**
   * Path of a derived artefact: a file computed once from a model and stored beside it. `make` writes it, under
   * a lock, to the path it receives. A changed `version` recomputes it.
   */
  derive(
    modelId: string,
    name: string,
    version: string | number,
    make: (path: string) => Promise<void>,
  ): Promise<string>;
  /** Path of a file that ships with the server, such as the weights trained in this repository. */
  asset(name: string): string;
  /** The operator's folder of Piper voices, if configured. */
  readonly piperFolder: string | undefined;
  /** Folder for artefacts derived from voices that are in no model store. */
  readonly derivedFolder: string;
  phonemizer(): Promise<Phonemizer>;
  /** Maximum number of threads of one inference. */
  readonly threads: number;
}

/** An engine's entry in the registry. It is available without loading the engine's code or models. */
export interface TtsEngineDefinition {
  readonly name: string;
  /** Catalogue ids of the models the engine needs. */
  readonly models: readonly string[];
  load(context: TtsEngineContext): Promise<TtsEngine>;
}
