import type { Pcm } from '../../audio/pcm.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import type { Delivery } from './delivery.ts';
import type { Phonemizer } from './phonemizer.ts';
import type { VocalSound } from './vocal-sound.ts';

/** What an engine lets its caller own. The layers above ask instead of knowing engines by name. */
export interface TtsEngineCapabilities {
  /** A voice can be given as numbers, so voices can be mixed, moved and cloned. */
  readonly speakerVectors: boolean;
  /** Gives the time of every word. */
  readonly wordTimes: boolean;
  /** Pitch and energy can be set frame by frame. */
  readonly pitchAndEnergy: boolean;
  /** Decodes in windows, so that audio leaves before its clause is finished. */
  readonly windowedDecoding: boolean;
}

/** How a person sounds, for engines that speak like a recording. */
export interface ReferenceRecording {
  /** Mono, at the rate of the engine. */
  readonly samples: Float32Array;
  /** What is said in it; empty where nobody knows. */
  readonly text: string;
}

/** How the melody of finished speech is changed. */
export interface PitchCorrection {
  /** Around this pitch the voice speaks before the change. */
  readonly middleHz: number;
  /** What all pitch is multiplied by. */
  readonly pitchFactor: number;
  /** Factor on the melody's distance from its middle. */
  readonly range: number;
}

/** A voice as an engine takes it: one it has, by name, a vector of the engine's own size, or somebody to sound like. */
export type EngineVoice =
  | { readonly kind: 'named'; readonly name: string }
  | {
      readonly kind: 'vector';
      readonly values: Float32Array;
      /** What is done to the melody of its speech, for a voice that lies beyond the engine's own. */
      readonly pitchCorrection?: PitchCorrection | undefined;
    }
  | ({ readonly kind: 'recording' } & ReferenceRecording);

/** One piece of text to be spoken. */
export interface Utterance {
  readonly words: readonly SpokenWord[];
  /** What the same voice said just before. It is not heard again, but the melody goes on from there. */
  readonly precedingWords?: readonly SpokenWord[];
  readonly language: Language;
  readonly voice: EngineVoice;
  /** 1 is the voice's own pace, 2 twice as fast. Pitch does not move with it. */
  readonly speed: number;
  /** Equal seeds and equal utterances give equal samples. */
  readonly seed: number;
  /** How each word is said; one for every word. Absent: all in the voice's own way. */
  readonly deliveries?: readonly Delivery[];
  /** What is heard between the words, in order. */
  readonly insertions?: readonly Insertion[];
  /** Whether word times are to say when each phoneme is heard. */
  readonly needsPhonemeTimes?: boolean;
  /** False when the listener still has enough to hear: larger parts come later, and cost less. Absent: true. */
  readonly isLatencyCritical?: boolean;
}

/** A sound without words, or a pause, that an utterance has before one of its words. */
export interface Insertion {
  /** Equals `words.length` after the last word. */
  readonly wordIndex: number;
  readonly content:
    | { readonly kind: 'pause'; readonly seconds: number }
    | {
        readonly kind: 'sound';
        readonly sound: VocalSound;
        /** How strongly: 1 is plainly heard, 0.5 a hint of it. */
        readonly intensity: number;
      };
}

/** When a word is heard, in seconds from the start of the utterance's audio. */
export interface WordTime {
  /** Index into `Utterance.words`. */
  readonly wordIndex: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Its sounds, in order, where they were asked for and the engine knows them. */
  readonly phonemes?: readonly PhonemeTime[];
}

/** When a phoneme is heard, in seconds from the start of the utterance's audio. */
export interface PhonemeTime {
  /** In the symbols of the engine's phonemizer: IPA, with Kokoro's letters for diphthongs and affricates. */
  readonly symbol: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** The next stretch of an utterance's audio. Parts follow each other without gap or overlap. */
export interface SpeechPart extends Pcm {
  /**
   * Times of the words whose sound begins in this part or in the parts after it that carry no times. All
   * parts of an utterance together give every audible word once; engines without durations give none.
   */
  readonly wordTimes?: readonly WordTime[];
}

/** One loaded text-to-speech model. Lives inside a worker process; never shared between two. */
export interface TtsEngine {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly capabilities: TtsEngineCapabilities;
  readonly languages: readonly Language[];
  readonly voices: readonly string[];
  /**
   * Yields audio as soon as there is any. Each step is a bounded piece of work (well under a second),
   * so that a worker can take turns between utterances; aborting stops before the next step. A step without
   * audio yields none.
   */
  speak(utterance: Utterance, signal: AbortSignal): AsyncIterable<SpeechPart>;
  close(): Promise<void>;
}

/** What an engine finds when it is loaded: its files, and what it shares with the other engines of its worker. */
export interface TtsEngineContext {
  /** A file of an installed model. */
  file(modelId: string, name: string): Promise<string>;
  /** The folder of an installed model. */
  folder(modelId: string): Promise<string>;
  /** A file made from a model once and kept beside it: `make` writes it, under a lock, to the path it is given. */
  derive(
    modelId: string,
    name: string,
    version: string | number,
    make: (path: string) => Promise<void>,
  ): Promise<string>;
  /** A file that ships with the server, such as weights we trained ourselves. */
  asset(name: string): string;
  /** The folder of Piper voices that the operator keeps, when there is one. */
  readonly piperFolder: string | undefined;
  /** A folder of this server's own, for files made from voices that are in no model store. */
  readonly derivedFolder: string;
  phonemizer(): Promise<Phonemizer>;
  /** Threads one inference may use. */
  readonly threads: number;
}

/** How the registry knows an engine before anything of it is loaded. */
export interface TtsEngineDefinition {
  readonly name: string;
  /** The models it needs, by their ids in the catalogue. */
  readonly models: readonly string[];
  load(context: TtsEngineContext): Promise<TtsEngine>;
}
