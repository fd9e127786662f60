import type { PhraseEmbedder, SpeakerEmbedder, TimeRange } from '../../engines/asr-engine.ts';
import { audioOf, type SpeechSegment } from './segment-cutter.ts';

/** Speaker embeddings of a phrase and of ranges of it. The phrase is analysed at most once. */
export class PhraseEmbeddings {
  readonly #phrase: TimeRange;
  readonly #speech: SpeechSegment;
  readonly #embedder: SpeakerEmbedder;
  #opened: Promise<PhraseEmbedder> | undefined;

  /** A phrase of a segment, in seconds from the start of the recording. */
  constructor(phrase: TimeRange, speech: SpeechSegment, embedder: SpeakerEmbedder) {
    this.#phrase = phrase;
    this.#speech = speech;
    this.#embedder = embedder;
  }

  /** Embeddings that are comparable with each other only. */
  async ofRanges(ranges: readonly TimeRange[]): Promise<readonly (readonly number[] | undefined)[]> {
    this.#opened ??= this.#embedder.openPhrase(audioOf(this.#phrase, this.#speech));
    const { startSeconds } = this.#phrase;
    const opened = await this.#opened;
    return opened.embed(
      ranges.map((range) => ({
        startSeconds: range.startSeconds - startSeconds,
        endSeconds: range.endSeconds - startSeconds,
      })),
    );
  }

  /** The embedding of a part, as if it were a phrase. */
  ofPart(part: TimeRange): Promise<readonly number[] | undefined> {
    return this.#embedder.embed(audioOf(part, this.#speech));
  }

  /** The embedding of the phrase. */
  async ofAll(): Promise<readonly number[] | undefined> {
    if (this.#opened === undefined) return this.ofPart(this.#phrase);
    const [embedding] = await this.ofRanges([this.#phrase]);
    return embedding;
  }
}
