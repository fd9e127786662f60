import type { PackedSamples } from '../../../audio/packed-samples.ts';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';
import type { SentUtterance } from './kept-vectors.ts';

/** A job of a speech worker: one utterance. */
export interface SpeechJob extends SentUtterance {
  readonly engine: string;
  /** Due time of the first audio, in milliseconds since the epoch. The earliest due time has priority. */
  readonly dueAtMs: number;
  /** Whether it is the first utterance of its stream. */
  readonly isFirstAudio: boolean;
  readonly accountId: string;
}

/** An event of a speech worker: audio and the worker time it took. */
export interface SpeechEvent extends Omit<SpeechPart, 'samples' | 'endsDecoding'> {
  readonly packed: PackedSamples;
  readonly workSeconds: number;
}
