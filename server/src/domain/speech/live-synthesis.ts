import { ApiError } from '../../errors.ts';
import { type TextToPiecesOptions, textToPieces } from '../../text/front-end/text-to-pieces.ts';
import { type TextSegment, TextStreamSegmenter } from '../../text/pieces/text-stream-segmenter.ts';
import { isSsml } from '../../text/ssml/ssml-events.ts';
import type { AudioFile } from './encode-speech.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';
import {
  assertCueCount,
  PlanningState,
  planPieces,
  planSsml,
  planTurnsInSteps,
  type TextLimits,
} from './plan-pieces.ts';
import { runInSlices } from './time-slice.ts';
import { type TimedAudio, withTimings } from './timing/timed-audio.ts';
import { Timeline } from './timing/timeline.ts';
import type { VoiceAssigner, VoiceAssignments } from './voice-assigner.ts';

export interface LiveSynthesisOptions {
  readonly accountId: string;
  readonly assigner: VoiceAssigner;
  readonly textOptions: Omit<TextToPiecesOptions, 'language' | 'finalBoundary' | 'firstPieceLength'> & {
    readonly firstPieceLength: number;
  };
  /** Maximum number of characters buffered for synthesis. */
  readonly bufferMaxChars: number;
  readonly limits: TextLimits;
  /** Resolves when the engines of the assignments are available. */
  readonly prepare: (assignments: VoiceAssignments) => Promise<void>;
  /** Synthesizes pieces as they arrive. */
  readonly render: (pieces: AsyncIterator<PlannedPiece>, timeline: Timeline) => Promise<AudioFile>;
  readonly signal: AbortSignal;
}

/** After waiting this long for text, an underrun is assumed, and the next piece is kept short for low latency. */
const UNDERRUN_AFTER_MS = 300;

/** Synthesizes a text while it is being received. */
export class LiveSynthesis {
  readonly body: AsyncIterable<TimedAudio>;
  readonly #options: LiveSynthesisOptions;
  readonly #segmenter: TextStreamSegmenter;
  readonly #state: PlanningState;
  #speaker: number | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};
  /** Number of times that text was received, flushed, ended or aborted. */
  #changeCount = 0;

  constructor(options: LiveSynthesisOptions) {
    this.#options = options;
    this.#state = new PlanningState(options.accountId, options.limits);
    this.#segmenter = new TextStreamSegmenter({
      verbalize: (text, context) => this.#verbalize(text, context),
      clauseLength: options.textOptions.minChunkLength,
    });
    this.body = this.#speak();
    options.signal.addEventListener('abort', () => this.#notify(), { once: true });
  }

  write(text: string): void {
    const { bufferMaxChars } = this.#options;
    if (this.#segmenter.bufferedLength + text.length > bufferMaxChars) {
      throw new ApiError(
        'text_too_long',
        `More than ${bufferMaxChars} characters are buffered for synthesis. Send text no faster than it is spoken.`,
      );
    }
    this.#segmenter.append(text);
    this.#notify();
  }

  flush(): void {
    this.#segmenter.flush();
    this.#notify();
  }

  end(): void {
    this.#hasEnded = true;
    this.#segmenter.end();
    this.#notify();
  }

  #notify(): void {
    this.#changeCount++;
    this.#wake();
  }

  async *#speak(): AsyncGenerator<TimedAudio> {
    const timeline = new Timeline();
    const file = await this.#options.render(this.#pieces(), timeline);
    for await (const timed of withTimings(file.body, timeline)) {
      // Without speech the response has no audio at all, not an empty file.
      if (!file.isEmpty) yield timed;
    }
  }

  async *#pieces(): AsyncGenerator<PlannedPiece> {
    for (;;) {
      const requestedAtMs = Date.now();
      const segment = await this.#nextSegment();
      if (segment === undefined) return;
      const isLatencyCritical = this.#state.pieces === 0 || Date.now() - requestedAtMs > UNDERRUN_AFTER_MS;
      yield* this.#planSegment(segment, isLatencyCritical);
    }
  }

  async #nextSegment(): Promise<TextSegment | undefined> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const changeCount = this.#changeCount;
      const segment = await this.#takeSegment();
      if (segment !== undefined) return segment;
      if (changeCount !== this.#changeCount) continue;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next segment of the text so far. Other requests get a turn between its steps. */
  async #takeSegment(): Promise<TextSegment | undefined> {
    return runInSlices(this.#options.accountId, this.#segmenter.nextSegmentInSteps());
  }

  async *#planSegment(segment: TextSegment, isLatencyCritical: boolean): AsyncGenerator<PlannedPiece> {
    const { accountId, assigner, textOptions, prepare, limits } = this.#options;
    assertCueCount(segment.text, limits);
    const turns = isSsml(segment.text)
      ? [planSsml(segment.text, assigner, limits)]
      : await runInSlices(accountId, planTurnsInSteps(segment, assigner, this.#speaker));
    for (const [index, turn] of turns.entries()) {
      await prepare([turn.assignment, ...(turn.otherAssignments ?? [])]);
      this.#speaker = turn.speaker;
      yield* planPieces(turn, {
        ...textOptions,
        firstPieceLength:
          isLatencyCritical && index === 0 ? textOptions.firstPieceLength : Number.POSITIVE_INFINITY,
        finalBoundary: index === turns.length - 1 ? segment.boundary : 'sentence',
        assigner,
        state: this.#state,
      });
    }
  }

  /** Verbalizes a text in the language of its context. */
  #verbalize(text: string, context: string) {
    const { assigner, textOptions } = this.#options;
    const options = {
      ...textOptions,
      language: assigner.languageOf(context),
      firstPieceLength: Number.POSITIVE_INFINITY,
    };
    return [...textToPieces(text, options)].flatMap((piece) => piece.words);
  }
}
