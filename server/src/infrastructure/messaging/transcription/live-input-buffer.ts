import { ASR_SAMPLE_RATE_HZ } from '../../../domain/engines/asr-engine.ts';
import type { AsrInput } from '../../../domain/transcription/pipeline/asr-task.ts';

/** Audio that is kept for another attempt. A segment of speech is far shorter. */
const BUFFER_MAX_SECONDS = 180;

/**
 * The input of a live transcription, kept until its text is final, so that another worker can resume. Each attempt reads
 * from `startSeconds` on.
 */
export class LiveInputBuffer {
  readonly #source: AsyncIterator<AsrInput>;
  #entries: AsrInput[] = [];
  /** Index of the first entry that is kept. */
  #firstIndex = 0;
  /** Position of the first kept entry. */
  #startSamples = 0;
  #keptSamples = 0;
  #hasEnded = false;
  #pending: Promise<void> | undefined;

  constructor(source: AsyncIterable<AsrInput>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Position of the audio that the next attempt receives first. */
  get startSeconds(): number {
    return this.#startSamples / ASR_SAMPLE_RATE_HZ;
  }

  /** The kept input, then the input that is still to come. */
  async *read(): AsyncGenerator<AsrInput> {
    for (let index = this.#firstIndex; ; index++) {
      while (index >= this.#firstIndex + this.#entries.length) {
        if (this.#hasEnded) return;
        this.#pending ??= this.#pull();
        await this.#pending;
      }
      const entry = this.#entries[index - this.#firstIndex];
      // An entry that was released has been transcribed.
      if (entry !== undefined) yield entry;
    }
  }

  /** The text of all audio before this position is final. */
  release(seconds: number): void {
    const endSamples = Math.floor(seconds * ASR_SAMPLE_RATE_HZ);
    for (let [first] = this.#entries; first !== undefined; [first] = this.#entries) {
      const length = lengthOf(first);
      if (this.#startSamples + length > endSamples) return;
      this.#removeFirst(length);
    }
  }

  async #pull(): Promise<void> {
    try {
      const { value, done } = await this.#source.next();
      if (done === true) {
        this.#hasEnded = true;
        return;
      }
      this.#entries.push(value);
      this.#keptSamples += lengthOf(value);
      while (this.#keptSamples > BUFFER_MAX_SECONDS * ASR_SAMPLE_RATE_HZ)
        this.#removeFirst(lengthOf(this.#entries[0] ?? 'flush'));
    } finally {
      this.#pending = undefined;
    }
  }

  #removeFirst(length: number): void {
    this.#entries.shift();
    this.#firstIndex += 1;
    this.#startSamples += length;
    this.#keptSamples -= length;
  }
}

function lengthOf(input: AsrInput): number {
  return input === 'flush' ? 0 : input.length;
}
