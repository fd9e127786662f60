import { isDeepStrictEqual } from 'node:util';
import type { Language, SpokenWord } from '../../text/piece.ts';
import type { EngineVoice, Utterance } from '../engines/tts-engine.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import type { ActedPiece } from './acting/cue-scope.ts';
import type { SpeakOptions, SpeechWorkers, SpokenPart } from './speech-workers.ts';

/** Who speaks a piece, and in what language. */
export interface PiecePlan {
  readonly engine: string;
  readonly voice: EngineVoice;
  readonly language: Language;
  /** How loud the voice is by itself. */
  readonly voiceLufs: number;
}

/** A piece, who speaks it, and the part of the client's text it was read from. */
export interface PlannedPiece {
  readonly piece: ActedPiece;
  readonly plan: PiecePlan;
  readonly source: { readonly text: string; readonly start: number };
}

/** How the pieces of one request are spoken. */
export interface PieceSynthesisOptions {
  readonly speed: number;
  readonly seed: number;
  /** Whether a piece goes on from the one before, instead of beginning afresh. */
  readonly isContinuous: boolean;
  /** Whether word times are to say when each phoneme is heard. */
  readonly wantsPhonemes?: boolean;
  /** Pieces come with the time, so that a listener may have nothing left to hear when the next one comes. */
  readonly isLive?: boolean;
  readonly signal: AbortSignal;
}

/** What is heard of a piece: its audio, then its end. */
export type PieceEvent = PlannedPiece &
  ({ readonly kind: 'audio'; readonly part: SpokenPart } | { readonly kind: 'end' });

/** Rough length of a spoken letter, to guess when the next piece will be needed. */
const SECONDS_PER_LETTER = 0.07;
/** How much of what was said before an engine is told. More costs more and joins no better (`npm run acting -- --joins`). */
export const PRECEDING_WORDS_MAX = 3;
/** A listener of a live session who has less left to hear waits for the next piece. */
const LATENCY_CRITICAL_BELOW_MS = 2000;
/** Keeps the noise of neighbouring pieces apart. */
const SEED_STEP = 0x9e3779b1;
/** Why work is stopped that nobody listens to any more. */
const LEFT = new Error('The stream was left.');

/**
 * Speaks pieces one after the other. While one is heard the next is already being spoken, but no more than
 * that: a slow reader holds back the text, and the memory of a stream does not depend on its length. Pieces may
 * come with the time; waiting for one does not hold back the sound of the one before.
 */
export async function* synthesizePieces(
  workers: SpeechWorkers,
  pieces: Iterator<PlannedPiece> | AsyncIterator<PlannedPiece>,
  options: PieceSynthesisOptions,
): AsyncGenerator<PieceEvent> {
  // Not `AbortSignal.any`: what hangs on such a signal outlives the stream until the whole heap is collected.
  const work = new AbortController();
  const { signal } = work;
  const stop = () => work.abort(options.signal.reason);
  options.signal.addEventListener('abort', stop);
  if (options.signal.aborted) stop();
  const stream = {};
  /** When the listener began to listen; until then, to wait. */
  let startedAtMs = Date.now();
  let spokenSeconds = 0;
  let last: PlannedPiece | undefined;
  try {
    let current = await startNext(0);
    while (current !== undefined) {
      const { planned } = current;
      let next: Promise<RunningPiece | undefined> | undefined;
      for (let part = await firstPart(current); part !== undefined; part = await current.advance()) {
        if (spokenSeconds === 0) startedAtMs = Date.now();
        // Only now, so that the very first piece has the machine to itself.
        next ??= startNext(spokenSeconds + current.estimatedSeconds);
        yield { kind: 'audio', part, ...planned };
        spokenSeconds += part.samples.length / part.sampleRateHz;
      }
      yield { kind: 'end', ...planned };
      current = await (next ?? startNext(spokenSeconds));
    }
  } finally {
    options.signal.removeEventListener('abort', stop);
    work.abort(LEFT);
  }

  /** `afterSeconds` of sound the next piece will be needed. */
  function startNext(afterSeconds: number): Promise<RunningPiece | undefined> {
    const dueAtMs = startedAtMs + afterSeconds * 1000;
    const isFirstAudio = spokenSeconds === 0 && afterSeconds === 0;
    const started = (async () => {
      const { value: planned, done } = await pieces.next();
      if (done === true) return undefined;
      const before = options.isContinuous ? precedingWords(planned, last) : [];
      last = planned;
      // What is not live must not depend on the clock: equal requests with a seed give equal bytes.
      const isAwaited = isFirstAudio || (options.isLive === true && dueAtMs - Date.now() < LATENCY_CRITICAL_BELOW_MS);
      const call = { dueAtMs, isFirstAudio, stream, before, isAwaited, ...options, signal };
      return new RunningPiece(workers, planned, call);
    })();
    // It is awaited when its turn comes, or never when the stream is left before.
    started.catch(() => {});
    return started;
  }

  async function firstPart(running: RunningPiece): Promise<SpokenPart | undefined> {
    try {
      return await running.advance();
    } catch (error) {
      // Nothing was heard yet, so a second try on another worker goes unnoticed.
      if (!(error instanceof WorkerLostError) || spokenSeconds > 0) throw error;
      return running.restart();
    }
  }
}

/** What the voice of a piece said just before it: nothing where another had the word, or a paragraph begins. */
function precedingWords(planned: PlannedPiece, last: PlannedPiece | undefined): readonly SpokenWord[] {
  const goesOn =
    last !== undefined &&
    last.piece.boundary !== 'paragraph' &&
    last.piece.speaker === planned.piece.speaker &&
    isDeepStrictEqual(last.plan, planned.plan);
  return goesOn ? last.piece.words.slice(-PRECEDING_WORDS_MAX) : [];
}

/** A piece in a worker's hands. Work begins at once, not when the first part is asked for. */
class RunningPiece {
  readonly planned: PlannedPiece;
  readonly estimatedSeconds: number;
  readonly #start: () => AsyncIterator<SpokenPart>;
  #parts: AsyncIterator<SpokenPart>;
  #first: Promise<IteratorResult<SpokenPart>> | undefined;

  constructor(
    workers: SpeechWorkers,
    planned: PlannedPiece,
    options: PieceSynthesisOptions &
      SpeakOptions & { readonly before: readonly SpokenWord[]; readonly isAwaited: boolean },
  ) {
    const { piece, plan } = planned;
    const { engine, voice, language } = plan;
    const { speed, signal, dueAtMs, isFirstAudio, stream, before, isAwaited } = options;
    const seed = (options.seed + piece.index * SEED_STEP) % Number.MAX_SAFE_INTEGER;
    const utterance: Utterance = {
      words: piece.words,
      ...(before.length > 0 && { precedingWords: before }),
      language,
      voice,
      speed,
      seed,
      isLatencyCritical: isAwaited,
      ...(options.wantsPhonemes && { needsPhonemeTimes: true }),
      ...piece.acting?.utterance,
    };
    const letters = piece.words.reduce((sum, word) => sum + word.text.length + 1, 0);
    this.planned = planned;
    this.estimatedSeconds = (letters * SECONDS_PER_LETTER) / speed;
    this.#start = () =>
      workers.speak(engine, utterance, { dueAtMs, isFirstAudio, signal, stream })[Symbol.asyncIterator]();
    this.#parts = this.#start();
    this.#first = this.#parts.next();
    // The answer is picked up when its turn comes, or never when the stream is left before.
    this.#first.catch(() => {});
  }

  async advance(): Promise<SpokenPart | undefined> {
    const result = await (this.#first ?? this.#parts.next());
    this.#first = undefined;
    return result.done === true ? undefined : result.value;
  }

  restart(): Promise<SpokenPart | undefined> {
    this.#parts = this.#start();
    this.#first = undefined;
    return this.advance();
  }
}
