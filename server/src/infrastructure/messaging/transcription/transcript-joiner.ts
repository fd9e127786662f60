import type { AsrEvent, AsrSegment } from '../../../domain/transcription/pipeline/asr-task.ts';

/**
 * Joins the events of several attempts of one transcription, so that each segment is delivered once. The attempt of a live
 * stream begins with the audio without final text, so its times are shifted, and segments before the last delivered one are
 * skipped. The attempt of a file begins with the file: as many segments of each channel are skipped as were delivered.
 */
export class TranscriptJoiner {
  readonly #isLive: boolean;
  #offsetSeconds = 0;
  #deliveredSeconds = 0;
  readonly #delivered = new Map<number, number>();
  readonly #seen = new Map<number, number>();
  #processedSeconds = 0;

  constructor(options: { readonly isLive: boolean }) {
    this.#isLive = options.isLive;
  }

  /** Another attempt begins, at this position. */
  restart(offsetSeconds: number): void {
    this.#offsetSeconds = offsetSeconds;
    this.#seen.clear();
  }

  /** The event to deliver; undefined if it was delivered before. */
  add(event: AsrEvent): AsrEvent | undefined {
    const shifted = shift(event, this.#offsetSeconds);
    switch (shifted.type) {
      case 'segment':
        return this.#isNew(shifted) ? shifted : undefined;
      case 'progress':
        if (shifted.processedSeconds < this.#processedSeconds) return undefined;
        this.#processedSeconds = shifted.processedSeconds;
        return shifted;
      case 'partial':
        return shifted.endSeconds > this.#deliveredSeconds ? shifted : undefined;
      case 'end':
        return shifted;
    }
  }

  #isNew(segment: AsrSegment): boolean {
    const { channel = 0, startSeconds, endSeconds } = segment;
    if (this.#isLive) {
      // Another attempt may find slightly other boundaries.
      if ((startSeconds + endSeconds) / 2 < this.#deliveredSeconds) return false;
      this.#deliveredSeconds = endSeconds;
      return true;
    }
    const seen = (this.#seen.get(channel) ?? 0) + 1;
    this.#seen.set(channel, seen);
    if (seen <= (this.#delivered.get(channel) ?? 0)) return false;
    this.#delivered.set(channel, seen);
    return true;
  }
}

function shift(event: AsrEvent, seconds: number): AsrEvent {
  if (seconds === 0) return event;
  switch (event.type) {
    case 'segment':
      return {
        ...event,
        ...shiftSpan(event, seconds),
        words: event.words.map((word) => ({ ...word, ...shiftSpan(word, seconds) })),
      };
    case 'partial':
      return { ...event, ...shiftSpan(event, seconds) };
    case 'progress':
      return { ...event, processedSeconds: event.processedSeconds + seconds };
    case 'end':
      return { ...event, durationSeconds: event.durationSeconds + seconds };
  }
}

function shiftSpan(
  { startSeconds, endSeconds }: { readonly startSeconds: number; readonly endSeconds: number },
  seconds: number,
) {
  return { startSeconds: startSeconds + seconds, endSeconds: endSeconds + seconds };
}
