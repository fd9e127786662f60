import type { PieceEvent } from './piece-synthesizer.ts';

/** Follows how much of a text has been heard. */
export class DeliveredTextCounter {
  /** Where the last piece ends that was taken whole, in the original text. */
  chars = 0;

  /** Passes events on. Whoever asks for the next one has taken the audio before it. */
  async *count(events: AsyncGenerator<PieceEvent>): AsyncGenerator<PieceEvent> {
    for await (const event of events) {
      yield event;
      if (event.kind === 'end') this.chars = event.piece.end;
    }
  }
}
