import { ApiError } from '../../errors.ts';
import { TextStreamSegmenter, type TextSegment } from '../../text/pieces/text-stream-segmenter.ts';
import { type TextToPiecesOptions, textToPieces } from '../../text/front-end/text-to-pieces.ts';
import { isSsml, type SsmlLimits } from '../../text/ssml/ssml-events.ts';
import type { VoiceAssigner, VoiceAssignment } from './voice-assigner.ts';
import type { AudioFile } from './encode-speech.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';
import { planSsml, planTurns, planPieces, PlanningState } from './plan-pieces.ts';
import { type TimedAudio, withTimings } from './timing/timed-audio.ts';
import { Timeline } from './timing/timeline.ts';

export interface LiveSynthesisOptions {
  readonly cast: VoiceAssigner;
  readonly reading: Omit<TextToPiecesOptions, 'language' | 'ends' | 'firstPieceLength'> & {
    readonly firstPieceLength: number;
  };
  /** Text that may wait to be spoken. */
  readonly bufferMaxChars: number;
  readonly ssmlLimits: SsmlLimits;
  /** Resolves when roles can be spoken. */
  readonly prepare: (roles: readonly VoiceAssignment[]) => Promise<void>;
  /** Speaks pieces as they come. */
  readonly render: (pieces: AsyncIterator<PlannedPiece>, timeline: Timeline) => Promise<AudioFile>;
  readonly signal: AbortSignal;
}

/** A client that is waited for so long may hear nothing by now, so what comes next is cut for an early sound. */
const UNDERRUN_AFTER_MS = 300;

/** Speaks a text while it is being written. */
export class LiveSynthesis {
  readonly body: AsyncIterable<TimedAudio>;
  readonly #options: LiveSynthesisOptions;
  readonly #text: TextStreamSegmenter;
  readonly #progress = new PlanningState();
  #speaker: number | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(options: LiveSynthesisOptions) {
    this.#options = options;
    this.#text = new TextStreamSegmenter({
      read: (text, whole) => this.#words(text, whole),
      clauseLength: options.reading.minChunkLength,
    });
    this.body = this.#speak();
    options.signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  write(text: string): void {
    const { bufferMaxChars } = this.#options;
    if (this.#text.bufferedLength + text.length > bufferMaxChars) {
      throw new ApiError(
        'text_too_long',
        `More than ${bufferMaxChars} characters wait to be spoken. Send text at the pace it is spoken.`,
      );
    }
    this.#text.append(text);
    this.#wake();
  }

  flush(): void {
    this.#text.flush();
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#text.end();
    this.#wake();
  }

  async *#speak(): AsyncGenerator<TimedAudio> {
    const timeline = new Timeline();
    const file = await this.#options.render(this.#pieces(), timeline);
    for await (const timed of withTimings(file.body, timeline)) {
      // A session without a word to say answers without audio, not with an empty file.
      if (!file.isEmpty) yield timed;
    }
  }

  async *#pieces(): AsyncGenerator<PlannedPiece> {
    for (;;) {
      const askedAtMs = Date.now();
      const stretch = await this.#nextStretch();
      if (stretch === undefined) return;
      const isDry = this.#progress.pieces === 0 || Date.now() - askedAtMs > UNDERRUN_AFTER_MS;
      yield* this.#read(stretch, isDry);
    }
  }

  async #nextStretch(): Promise<TextSegment | undefined> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const stretch = this.#text.nextSegment();
      if (stretch !== undefined) return stretch;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async *#read(stretch: TextSegment, isDry: boolean): AsyncGenerator<PlannedPiece> {
    const { cast, reading, prepare, ssmlLimits } = this.#options;
    const turns = isSsml(stretch.text)
      ? [planSsml(stretch.text, cast, ssmlLimits)]
      : planTurns(stretch, cast, this.#speaker);
    for (const [index, turn] of turns.entries()) {
      await prepare([turn.role, ...(turn.otherAssignments ?? [])]);
      this.#speaker = turn.speaker;
      yield* planPieces(turn, {
        ...reading,
        firstPieceLength: isDry && index === 0 ? reading.firstPieceLength : Number.POSITIVE_INFINITY,
        ends: index === turns.length - 1 ? stretch.ends : 'sentence',
        cast,
        progress: this.#progress,
      });
    }
  }

  /** The words of a text, in the language that the text around it is in. */
  #words(text: string, around: string) {
    const { cast, reading } = this.#options;
    const options = {
      ...reading,
      language: cast.languageOf(around),
      firstPieceLength: Number.POSITIVE_INFINITY,
    };
    return [...textToPieces(text, options)].flatMap((piece) => piece.words);
  }
}
