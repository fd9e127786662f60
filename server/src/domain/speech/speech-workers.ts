import type { PackedSamples } from '../../audio/packed-samples.ts';
import type { SpeechPart, Utterance } from '../engines/tts-engine.ts';

/** The worker processes, as the speech domain uses them. */
export interface SpeechWorkers {
  /**
   * Synthesizes one utterance. Ending the iteration or aborting stops the work. Throws `WorkerLostError` if the
   * process exited, and `ApiError` for errors that are reported to the client.
   */
  speak(engine: string, utterance: Utterance, options: SpeakOptions): AsyncIterable<MeasuredSpeechPart>;
}

/** Audio and the worker time it took, if measured. */
export interface MeasuredSpeechPart extends SpeechPart {
  readonly workSeconds?: number;
  /** The samples as they came from the worker process, for those who send them on. */
  readonly packed?: PackedSamples;
}

export interface SpeakOptions {
  /** Due time of the first audio of the utterance, in milliseconds since the epoch. */
  readonly dueAtMs: number;
  /** The utterance gives the first audio of its stream. */
  readonly isFirstAudio: boolean;
  readonly signal: AbortSignal;
  /** Identity of the stream. Its utterances stay on one worker unless another is much less busy. */
  readonly stream: object;
  /** The account of the stream. Streams without audio yet are served in turn by account. */
  readonly accountId: string;
  /** Called when the worker has stopped working on the utterance, even if its audio is not read yet. */
  readonly onFinished?: () => void;
}
