import { isDeepStrictEqual } from 'node:util';
import { CEILING_DBTP } from '../../audio/dsp/limiter.ts';
import { releaseSamples } from '../../audio/pcm.ts';
import type { Language, SpokenWord } from '../../text/piece.ts';
import { traced } from '../../tracing/tracing.ts';
import type { EngineVoice, Utterance } from '../engines/tts-engine.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import type { VoicePauses } from '../voices/voice.ts';
import type { ActedPiece } from './acting/cue-scope.ts';
import type { QueueWait } from './capacity/first-audio-queue.ts';
import type { MeasuredSpeechPart, SpeakOptions, SpeechWorkers } from './speech-workers.ts';

/** The engine, voice and language of a piece. */
export interface PiecePlan {
  readonly engine: string;
  readonly voice: EngineVoice;
  readonly language: Language;
  /** Loudness of the voice before normalization. */
  readonly voiceLufs: number;
  /** The engine does not bring utterances to this loudness, since it is not that of the voice with the engine. */
  readonly isLoudnessTypical?: true;
  /** Pauses of the voice within an utterance. */
  readonly pauses: VoicePauses;
}

/** A piece with its plan and its source text. */
export interface PlannedPiece {
  readonly piece: ActedPiece;
  readonly plan: PiecePlan;
  readonly source: { readonly text: string; readonly start: number };
}

/** Synthesis options that are common to the pieces of a request. */
export interface PieceSynthesisOptions {
  readonly speed: number;
  readonly seed: number;
  /** Whether the engine receives the preceding words as context. */
  readonly isContinuous: boolean;
  /** Whether word times include phoneme times. */
  readonly needsPhonemeTimes?: boolean;
  /** Loudness and volume of the audio; undefined: the utterances have the level of the model. */
  readonly loudness?: { readonly targetLufs: number; readonly volumeDb: number } | undefined;
  /** Pieces arrive over time, so that the client may have an underrun before the next one. */
  readonly isLive?: boolean;
  readonly accountId: string;
  /** Called with the engine when an utterance begins; the returned function when the workers have finished it. */
  readonly onUtterance?: (engine: string) => () => void;
  /** Delays a piece that is due at a time, if other work is more urgent. */
  readonly delayPiece?: ((dueAtMs: number) => QueueWait | undefined) | undefined;
  readonly signal: AbortSignal;
}

/** An event of a piece: parts of its audio, then its end. The samples of a part are valid until the next event is read. */
export type PieceEvent = PlannedPiece &
  (
    | { readonly kind: 'audio'; readonly part: MeasuredSpeechPart }
    /** `following` is the next piece, if it is known without waiting for text. */
    | { readonly kind: 'end'; readonly following?: ActedPiece | undefined }
  );

/** Duration per letter of a fast voice, for the due time of the next piece: too early is better than too late. */
const SECONDS_PER_LETTER = 0.055;
/** Number of preceding words given as context. More cost more and do not improve the joins (`npm run acting -- --joins`). */
export const PRECEDING_WORDS_MAX = 3;
/** A piece of a live session is latency critical if the client has less audio buffered than this. */
const LATENCY_CRITICAL_BELOW_MS = 2000;
/** Retries after the loss of a worker. The cause may be other streams, so that more than one loss is possible. */
const RETRIES_MAX = 3;
/** Decorrelates the noise of neighbouring pieces. */
const SEED_STEP = 0x9e3779b1;
/** Abort reason after the consumer has ended the iteration. */
const CANCELLED = new Error('The stream was cancelled.');

/**
 * Synthesizes pieces in order, one piece ahead of the consumer. Backpressure: a slow consumer stops the synthesis,
 * so that the memory of a stream does not depend on its length. Pieces may arrive over time; waiting for the next
 * one does not delay the audio of the current one.
 */
export async function* synthesizePieces(
  workers: SpeechWorkers,
  pieces: Iterator<PlannedPiece> | AsyncIterator<PlannedPiece>,
  options: PieceSynthesisOptions,
): AsyncGenerator<PieceEvent> {
  // Not `AbortSignal.any`: its listeners are only released by a full garbage collection.
  const work = new AbortController();
  const { signal } = work;
  const stop = () => work.abort(options.signal.reason);
  options.signal.addEventListener('abort', stop);
  if (options.signal.aborted) stop();
  const stream = {};
  /** Start of playback: the time of the first audio plus stalls of the reader. Before it, the start of the request. */
  let startedAtMs = Date.now();
  let spokenSeconds = 0;
  let last: PlannedPiece | undefined;
  /** The delay of the next piece. */
  let delay: QueueWait | undefined;
  try {
    let current = await startNext(0);
    while (current !== undefined) {
      const { planned } = current;
      let next: Promise<RunningPiece | undefined> | undefined;
      for (let part = await firstPart(current); part !== undefined; part = await current.advance()) {
        if (spokenSeconds === 0) startedAtMs = Date.now();
        // Started only after the first audio, so that the first piece does not share the worker.
        next ??= startNext(spokenSeconds + current.estimatedSeconds);
        const offeredAtMs = Date.now();
        const seconds = part.samples.length / part.sampleRateHz;
        yield { kind: 'audio', part, ...planned };
        releaseSamples(part);
        spokenSeconds += seconds;
        excludeStall(offeredAtMs);
      }
      next ??= startNext(spokenSeconds);
      // The next piece is needed now.
      delay?.end();
      // An error of the next piece surfaces after the end of this one.
      const following = options.isLive ? undefined : await next.catch(() => undefined);
      yield { kind: 'end', following: following?.planned.piece, ...planned };
      current = await next;
    }
  } finally {
    delay?.end();
    options.signal.removeEventListener('abort', stop);
    work.abort(CANCELLED);
  }

  /** A reader slower than real time delays its playback itself: its next pieces are not more urgent than others. */
  function excludeStall(offeredAtMs: number): void {
    const nowMs = Date.now();
    const behindMs = nowMs - (startedAtMs + spokenSeconds * 1000);
    if (behindMs > 0) startedAtMs += Math.min(behindMs, nowMs - offeredAtMs);
  }

  /** Starts the next piece. It is due after `afterSeconds` of audio. */
  function startNext(afterSeconds: number): Promise<RunningPiece | undefined> {
    const dueAtMs = startedAtMs + afterSeconds * 1000;
    const isFirstAudio = spokenSeconds === 0 && afterSeconds === 0;
    const wait = isFirstAudio ? undefined : options.delayPiece?.(dueAtMs);
    delay = wait;
    const started = (async () => {
      if (wait !== undefined) {
        await wait.ended;
        signal.throwIfAborted();
      }
      // A live session waits for its text here; the work of the text front end is part of that.
      const { value: planned, done } = await traced('text', async () => pieces.next());
      if (done === true) return undefined;
      const preceding = options.isContinuous ? precedingWords(planned, last) : [];
      last = planned;
      // Only live sessions may depend on the clock: equal requests with a seed give equal bytes.
      const isLatencyCritical =
        isFirstAudio || (options.isLive === true && dueAtMs - Date.now() < LATENCY_CRITICAL_BELOW_MS);
      const call = { dueAtMs, isFirstAudio, stream, preceding, isLatencyCritical, ...options, signal };
      return new RunningPiece(workers, planned, call);
    })();
    // Awaited later, or never if the stream is cancelled: an early rejection must not be unhandled.
    started.catch(() => {});
    return started;
  }

  async function firstPart(running: RunningPiece): Promise<MeasuredSpeechPart | undefined> {
    for (let retries = 0; ; retries++) {
      try {
        return await running.advance();
      } catch (error) {
        // Before the first audio, a retry on another worker is invisible to the client.
        if (!(error instanceof WorkerLostError) || spokenSeconds > 0 || retries >= RETRIES_MAX) throw error;
        running.restart();
      }
    }
  }
}

/** The last words of the preceding piece; none after a change of voice or speaker, or at the start of a paragraph. */
function precedingWords(planned: PlannedPiece, last: PlannedPiece | undefined): readonly SpokenWord[] {
  const isContinuation =
    last !== undefined &&
    last.piece.boundary !== 'paragraph' &&
    last.piece.speaker === planned.piece.speaker &&
    isDeepStrictEqual(last.plan, planned.plan);
  return isContinuation ? last.piece.words.slice(-PRECEDING_WORDS_MAX) : [];
}

/** The loudness to which the engine brings the utterances of a plan, before normalization. */
export function loudnessOfUtterances(
  { voiceLufs, isLoudnessTypical }: Pick<PiecePlan, 'voiceLufs' | 'isLoudnessTypical'>,
  { targetLufs, volumeDb }: { readonly targetLufs: number; readonly volumeDb: number },
): Pick<Utterance, 'loudness'> {
  if (isLoudnessTypical) return {};
  // More volume than the target is meant to be limited.
  const gainDb = targetLufs - voiceLufs + Math.min(0, volumeDb);
  return { loudness: { targetLufs: voiceLufs, ceilingDbfs: CEILING_DBTP - gainDb } };
}

/** A piece that is being synthesized. Synthesis starts in the constructor, not with the first `advance`. */
class RunningPiece {
  readonly planned: PlannedPiece;
  readonly estimatedSeconds: number;
  readonly #start: () => AsyncIterator<MeasuredSpeechPart>;
  #parts: AsyncIterator<MeasuredSpeechPart>;
  #first: Promise<IteratorResult<MeasuredSpeechPart>> | undefined;
  #onFinished: () => void = () => {};

  constructor(
    workers: SpeechWorkers,
    planned: PlannedPiece,
    options: PieceSynthesisOptions &
      SpeakOptions & { readonly preceding: readonly SpokenWord[]; readonly isLatencyCritical: boolean },
  ) {
    const { piece, plan } = planned;
    const { engine, voice, language } = plan;
    const { speed, preceding, isLatencyCritical } = options;
    const seed = (options.seed + piece.index * SEED_STEP) % Number.MAX_SAFE_INTEGER;
    const utterance: Utterance = {
      words: piece.words,
      ...(preceding.length > 0 && { precedingWords: preceding }),
      language,
      voice,
      speed,
      seed,
      isLatencyCritical,
      ...(options.needsPhonemeTimes && { needsPhonemeTimes: true }),
      ...(options.loudness && loudnessOfUtterances(plan, options.loudness)),
      ...piece.acting?.utterance,
    };
    const letters = piece.words.reduce((sum, word) => sum + word.text.length + 1, 0);
    this.planned = planned;
    this.estimatedSeconds = (letters * SECONDS_PER_LETTER) / speed;
    this.#start = () => {
      this.#onFinished = options.onUtterance?.(engine) ?? (() => {});
      const { dueAtMs, isFirstAudio, stream, accountId, signal } = options;
      const call = { dueAtMs, isFirstAudio, stream, accountId, signal, onFinished: this.#onFinished };
      return workers.speak(engine, utterance, call)[Symbol.asyncIterator]();
    };
    this.#parts = this.#start();
    this.#first = this.#parts.next();
    // Awaited later, or never if the stream is cancelled: an early rejection must not be unhandled.
    this.#first.catch(() => this.#onFinished());
  }

  async advance(): Promise<MeasuredSpeechPart | undefined> {
    const next = this.#first ?? this.#parts.next();
    this.#first = undefined;
    try {
      const result = await next;
      if (result.done !== true) return result.value;
    } catch (error) {
      this.#onFinished();
      throw error;
    }
    this.#onFinished();
    return undefined;
  }

  restart(): void {
    this.#parts = this.#start();
    this.#first = undefined;
  }
}
