import type { PieceEvent } from './piece-synthesizer.ts';

/** Counts the characters of a text whose audio has been delivered. */
export class DeliveredTextCounter {
  /** End of the last completely delivered piece: a UTF-16 offset into the original text. */
  chars = 0;

  /** Passes events through. A request for the next event means that the audio before it was delivered. */
  async *count(events: AsyncGenerator<PieceEvent>): AsyncGenerator<PieceEvent> {
    for await (const event of events) {
      yield event;
      if (event.kind === 'end') this.chars = event.piece.end;
    }
  }
}
