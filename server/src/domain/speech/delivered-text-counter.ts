import { dictionaryBytesOf } from './dictionary-bytes.ts';
import type { PieceEvent } from './piece-synthesizer.ts';

/**
 * Counts the text of delivered audio. A piece is delivered when the first bytes that contain its audio are read from
 * the body, not when its last bytes are: a client that disconnects before the end has received the audio.
 */
export class DeliveredTextCounter {
  /**
   * UTF-8 bytes of the text up to the end of the last delivered piece, and the bytes by which dictionary entries in it
   * exceed the text.
   */
  bytes = 0;
  /** Bytes by which dictionary entries exceed the text, in all pieces whose audio has entered the pipeline. */
  dictionaryBytes = 0;
  #reachedBytes = 0;
  /** End of the last piece whose audio has entered the pipeline: a UTF-16 offset into the original text. */
  #reachedChars = 0;

  /** Passes the events of the pieces through. */
  async *track(events: AsyncGenerator<PieceEvent>): AsyncGenerator<PieceEvent> {
    for await (const event of events) {
      if (event.kind === 'audio') this.#reach(event);
      yield event;
    }
  }

  /** Passes the bytes of the audio through. */
  async *deliver(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      this.bytes = this.#reachedBytes + this.dictionaryBytes;
      yield bytes;
    }
  }

  #reach({ piece, source }: PieceEvent): void {
    if (piece.end <= this.#reachedChars) return;
    const from = Math.max(this.#reachedChars, source.start);
    // Text between two sources consists of tags and spaces.
    this.#reachedBytes += from - this.#reachedChars;
    this.#reachedBytes += Buffer.byteLength(source.text.slice(from - source.start, piece.end - source.start));
    this.#reachedChars = piece.end;
    this.dictionaryBytes += dictionaryBytesOf(piece.words, source.text, source.start);
  }
}
