import { ApiError } from '../../errors.ts';
import { GrowingText, type Stretch } from '../../text/pieces/growing-text.ts';
import { type ReadTextOptions, readText } from '../../text/reading/read-text.ts';
import { isSsml, type SsmlLimits } from '../../text/ssml/ssml-events.ts';
import type { Cast, Role } from './cast.ts';
import type { AudioFile } from './encode-speech.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';
import { castSsml, castTurns, readTurn, ScriptProgress } from './script.ts';
import { type TimedAudio, withTimings } from './timing/timed-audio.ts';
import { Timeline } from './timing/timeline.ts';

export interface LiveSessionOptions {
  readonly cast: Cast;
  readonly reading: Omit<ReadTextOptions, 'language' | 'ends' | 'firstPieceLength'> & {
    readonly firstPieceLength: number;
  };
  /** Text that may wait to be spoken. */
  readonly bufferMaxChars: number;
  readonly ssmlLimits: SsmlLimits;
  /** Resolves when roles can be spoken. */
  readonly prepare: (roles: readonly Role[]) => Promise<void>;
  /** Speaks pieces as they come. */
  readonly render: (pieces: AsyncIterator<PlannedPiece>, timeline: Timeline) => Promise<AudioFile>;
  readonly signal: AbortSignal;
}

/** A client that is waited for so long may hear nothing by now, so what comes next is cut for an early sound. */
const DRY_AFTER_MS = 300;

/** Speaks a text while it is being written. */
export class LiveSession {
  readonly body: AsyncIterable<TimedAudio>;
  readonly #options: LiveSessionOptions;
  readonly #text: GrowingText;
  readonly #progress = new ScriptProgress();
  #speaker: number | undefined;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.#text = new GrowingText({
      read: (text, whole) => this.#words(text, whole),
      clauseLength: options.reading.minChunkLength,
    });
    this.body = this.#speak();
    options.signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  write(text: string): void {
    const { bufferMaxChars } = this.#options;
    if (this.#text.heldLength + text.length > bufferMaxChars) {
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
      const isDry = this.#progress.pieces === 0 || Date.now() - askedAtMs > DRY_AFTER_MS;
      yield* this.#read(stretch, isDry);
    }
  }

  async #nextStretch(): Promise<Stretch | undefined> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const stretch = this.#text.take();
      if (stretch !== undefined) return stretch;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async *#read(stretch: Stretch, isDry: boolean): AsyncGenerator<PlannedPiece> {
    const { cast, reading, prepare, ssmlLimits } = this.#options;
    const turns = isSsml(stretch.text)
      ? [castSsml(stretch.text, cast, ssmlLimits)]
      : castTurns(stretch, cast, this.#speaker);
    for (const [index, turn] of turns.entries()) {
      await prepare([turn.role, ...(turn.guests ?? [])]);
      this.#speaker = turn.speaker;
      yield* readTurn(turn, {
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
    return [...readText(text, options)].flatMap((piece) => piece.words);
  }
}
