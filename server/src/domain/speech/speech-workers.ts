import type { SpeechPart, Utterance } from '../engines/tts-engine.ts';

/** Where utterances are spoken. The speech layer needs no more of the worker processes than this. */
export interface SpeechWorkers {
  /**
   * Speaks one utterance. Leaving the loop, or aborting, stops the work. Throws `WorkerLostError` when the
   * process died, and `ApiError` for what a client may see.
   */
  speak(engine: string, utterance: Utterance, options: SpeakOptions): AsyncIterable<SpokenPart>;
}

/** Audio, and how long a worker took to make it, where that is known. */
export interface SpokenPart extends SpeechPart {
  readonly workSeconds?: number;
}

export interface SpeakOptions {
  /** When a listener needs the first of this audio, in milliseconds since the epoch. */
  readonly dueAtMs: number;
  /** Nothing of the stream was heard yet. */
  readonly isFirstAudio: boolean;
  readonly signal: AbortSignal;
  /** Utterances of one stream share this. They stay with one worker while it is not much busier than others. */
  readonly stream: object;
}
