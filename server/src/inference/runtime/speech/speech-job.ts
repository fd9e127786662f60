import type { Utterance } from '../../../domain/engines/tts-engine.ts';

/** One utterance to be spoken by a speech worker. */
export interface SpeechJob {
  readonly engine: string;
  readonly utterance: Utterance;
  /** When a listener needs the first of this audio, in milliseconds since the epoch. The earliest goes first. */
  readonly dueAtMs: number;
  /** It opens its stream: nothing of that was heard yet. */
  readonly isOpening: boolean;
}
