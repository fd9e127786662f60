/** Received audio that is not transcribed yet. Applies backpressure to the sender above a limit. */
export class AudioBacklog {
  readonly #maxSeconds: number;
  #receivedSeconds = 0;
  #processedSeconds = 0;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(maxSeconds: number) {
    this.#maxSeconds = maxSeconds;
  }

  /** Adds received audio; resolves when the backlog is within its limit. */
  async add(seconds: number): Promise<void> {
    this.#receivedSeconds += seconds;
    while (!this.#isClosed && this.#receivedSeconds - this.#processedSeconds > this.#maxSeconds) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Sets the position, in seconds from the start, up to which audio is transcribed. */
  markProcessed(seconds: number): void {
    this.#processedSeconds = seconds;
    this.#wake();
  }

  /** Ends transcription: releases every waiting `add`. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }
}
