import type { TranscriptionEvent } from './transcription-service.ts';

/** Seconds from the start of a recording, and the number of channels that are transcribed separately. */
export type TranscribedPosition = readonly [seconds: number, channels: number];

/** The audio that the events of a transcription cover. It is what a transcription is charged for. */
export class TranscribedAudio {
  #seconds: number;
  #channels: number;

  constructor(seconds = 0, channels = 1) {
    this.#seconds = seconds;
    this.#channels = channels;
  }

  get position(): TranscribedPosition {
    return [this.#seconds, this.#channels];
  }

  /** Adds an event and returns the position that it reaches. */
  add(event: TranscriptionEvent): TranscribedPosition {
    this.#seconds = Math.max(this.#seconds, endOf(event));
    this.#channels = Math.max(this.#channels, event.channels ?? 1);
    return this.position;
  }
}

function endOf(event: TranscriptionEvent): number {
  if (event.type === 'segment') return event.segment.endSeconds;
  return event.type === 'progress' ? event.processedSeconds : event.transcript.durationSeconds;
}
