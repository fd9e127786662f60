import { randomInt } from 'node:crypto';
import type { Watermark } from '../../audio/watermark/watermark-embedder.ts';
import { ApiError } from '../../errors.ts';
import type { Language } from '../../text/piece.ts';
import { traced } from '../../tracing/tracing.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import type { VoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import { applyWatermark } from './apply-watermark.ts';
import { joinPieces } from './audio-pipeline.ts';
import type { Capacity } from './capacity/capacity.ts';
import { FirstAudioQueue } from './capacity/first-audio-queue.ts';
import type { StreamLoad } from './capacity/stream-load.ts';
import { UtteranceGate } from './capacity/utterance-gate.ts';
import { choosePieceLengths } from './choose-piece-lengths.ts';
import { DeliveredTextCounter } from './delivered-text-counter.ts';
import { type AudioFile, audioSettingsOf, encodeSpeech } from './encode-speech.ts';
import type { EngineSelector } from './engine-selector.ts';
import { FailingTexts } from './failing-texts.ts';
import { GatedWorkers } from './gated-workers.ts';
import { GuardedWorkers } from './guarded-workers.ts';
import type { LanguageMismatch } from './language-mismatch.ts';
import { LiveSynthesis } from './live-synthesis.ts';
import { type PieceEvent, type PlannedPiece, synthesizePieces } from './piece-synthesizer.ts';
import {
  createNothingToSpeakError,
  type PlannedTurn,
  PlanningState,
  planPieces,
  planTextInSteps,
  type TextLimits,
} from './plan-pieces.ts';
import type {
  LiveSpeech,
  SpeechRequest,
  SpeechResult,
  SpeechService,
  TimedSpeechResult,
} from './speech-service.ts';
import type { SpeechWorkers } from './speech-workers.ts';
import { runInSlices } from './time-slice.ts';
import { type TimedAudio, withTimings } from './timing/timed-audio.ts';
import { Timeline } from './timing/timeline.ts';
import { VoiceAssigner, type VoiceAssignment, type VoiceAssignments } from './voice-assigner.ts';

export interface SpeechSynthesizerDeps {
  readonly workers: SpeechWorkers;
  readonly voices: VoiceCatalogue;
  readonly engines: EngineSelector;
  /** Resolves when the models of the engine are installed; rejects with an `ApiError` after a time limit. */
  readonly prepareEngine: (engine: string, language: Language, signal: AbortSignal) => Promise<void>;
  readonly capacity: Capacity;
  /** Texts on which workers were lost. */
  readonly failingTexts: FailingTexts;
  /** The watermark of an account. Absent: no watermarks. */
  readonly watermarkOf?: ((accountId: string) => Promise<Watermark | undefined>) | undefined;
  readonly settings: SpeechSettings;
  /** Whether other work with deadlines needs a core of the workers. Default: no. */
  readonly isCoreNeeded?: (() => boolean) | undefined;
  readonly observer?: SpeechObserver | undefined;
}

/** Receives the measurements of speech. */
export interface SpeechObserver {
  /** The first audio of a stream is available, `seconds` after its request or, in a live session, its first text. */
  firstAudio(stream: { readonly engine: string; readonly isLive: boolean; readonly seconds: number }): void;
  /** A request was refused because too many wait for first audio. */
  refused(code: string): void;
}

export interface SpeechSettings extends TextLimits {
  /** Name or id of the voice for requests without one. */
  readonly defaultVoice: string;
  /** Default: `speak`. */
  readonly languageMismatch?: LanguageMismatch | undefined;
  /** Maximum number of requests queued for first audio. */
  readonly queueMax: number;
  readonly loudnessLufs: number;
  /** Maximum number of characters that a live session buffers. */
  readonly liveBufferMaxChars: number;
}

const SEED_MAX = 2 ** 31;

/** The speech service over the engines of the worker processes. */
export class SpeechSynthesizer implements SpeechService {
  readonly #deps: SpeechSynthesizerDeps;
  readonly #workers: SpeechWorkers;
  readonly #firstAudioQueue = new FirstAudioQueue();

  constructor(deps: SpeechSynthesizerDeps) {
    this.#deps = deps;
    const { capacity, isCoreNeeded } = deps;
    const gate = new UtteranceGate({ workers: () => capacity.workers, isCoreNeeded });
    this.#workers = new GatedWorkers(new GuardedWorkers(deps.workers, deps.failingTexts), gate);
  }

  async speak(request: SpeechRequest, signal: AbortSignal): Promise<SpeechResult> {
    return this.#open(request, { signal });
  }

  async speakTimed(request: SpeechRequest, signal: AbortSignal): Promise<TimedSpeechResult> {
    const timeline = new Timeline();
    const { body, ...speech } = await this.#open(request, { signal, timeline });
    return { ...speech, body: withTimings(body, timeline) };
  }

  speakLive(request: SpeechRequest, signal: AbortSignal): LiveSpeech {
    let leaveQueue: (() => void) | undefined;
    let first: { readonly engine: string; readonly startedAtMs: number } | undefined;
    let isStarted = false;
    const onAudio = () => {
      leaveQueue?.();
      if (isStarted || first === undefined) return;
      isStarted = true;
      this.#reportFirstAudio({ ...first, isLive: true });
    };
    const delivered = new DeliveredTextCounter();
    const session = new LiveSynthesis({
      accountId: request.accountId,
      assigner: this.#createAssigner(withoutReferenceRecordings(request)),
      textOptions: toTextOptions(request),
      bufferMaxChars: this.#deps.settings.liveBufferMaxChars,
      limits: this.#limitsOf(request),
      prepare: (assignments) => {
        // A live session enters the queue only when it has text to speak.
        leaveQueue ??= this.#enterQueue();
        first ??= { engine: assignments[0].engine, startedAtMs: performance.now() };
        return this.#prepareLive(assignments, request.accountId, signal);
      },
      render: (pieces, timeline) => {
        const load = this.#deps.capacity.openLive(request.accountId);
        const events = this.#speak(request, pieces, { signal, load, isLive: true });
        return this.#render(request, events, { timeline, delivered, load });
      },
      signal,
    });
    session.write(request.text);
    return {
      write: (text) => session.write(text),
      flush: () => session.flush(),
      end: () => session.end(),
      deliveredBytes: () => delivered.bytes,
      dictionaryBytes: () => delivered.dictionaryBytes,
      body: withApiErrors(session.body, signal, { onAudio, onEnd: () => leaveQueue?.() }),
    };
  }

  async #open(request: SpeechRequest, options: RenderOptions): Promise<SpeechResult> {
    const assigner = this.#createAssigner(
      options.timeline === undefined ? request : withoutReferenceRecordings(request),
    );
    const turns = await traced('text.plan', () =>
      runInSlices(request.accountId, planTextInSteps(request.text, assigner, this.#deps.settings)),
    );
    const leaveQueue = this.#enterQueue();
    let load: StreamLoad | undefined;
    try {
      const assignments = turns.flatMap(({ assignment, otherAssignments = [] }) => [
        assignment,
        ...otherAssignments,
      ]);
      const [primary] = assignments;
      if (primary === undefined) throw createNothingToSpeakError();
      const { failingTexts } = this.#deps;
      if (!failingTexts.isEmpty) failingTexts.assertAllowed(keyOf(request));
      await this.#prepare(assignments, options.signal);
      const { accountId } = request;
      const { engine } = primary;
      load = await traced('capacity', () => this.#deps.capacity.admit({ engine, accountId }, options.signal));
      const delivered = new DeliveredTextCounter();
      const pieces = planAllPieces(turns, request, { assigner, limits: this.#limitsOf(request) });
      const events = this.#speak(request, pieces, { signal: options.signal, load });
      const { contentType, body } = await this.#render(request, events, { delivered, load, ...options });
      this.#reportFirstAudio({ engine, isLive: false, startedAtMs: request.receivedAtMs });
      const names = new Set(assignments.map(({ voice }) => voice.name));
      return {
        contentType,
        body,
        model: request.model,
        engine,
        voice: [...names].join(', '),
        warnings: assigner.warnings,
        deliveredBytes: () => delivered.bytes,
        dictionaryBytes: () => delivered.dictionaryBytes,
      };
    } catch (error) {
      load?.release();
      throw toSpeechError(error, options.signal);
    } finally {
      leaveQueue();
    }
  }

  #limitsOf({ silenceMaxSeconds }: SpeechRequest): TextLimits {
    const { settings } = this.#deps;
    // No copy without need: the settings are those of the whole server.
    if (silenceMaxSeconds === undefined) return settings;
    return { ...settings, silenceMaxSeconds: Math.min(settings.silenceMaxSeconds, silenceMaxSeconds) };
  }

  #createAssigner(request: SpeechRequest): VoiceAssigner {
    const { voices, engines, settings } = this.#deps;
    return new VoiceAssigner({
      voices,
      engines,
      defaultVoice: settings.defaultVoice,
      languageMismatch: settings.languageMismatch,
      request: request.speed === 1 ? request : withoutReferenceRecordings(request),
    });
  }

  /** A live session waits for capacity before each turn; its own load counts its utterances. */
  async #prepareLive(assignments: VoiceAssignments, accountId: string, signal: AbortSignal): Promise<void> {
    await this.#prepare(assignments, signal);
    const { engine } = assignments[0];
    const turn = await traced('capacity', () => this.#deps.capacity.admit({ engine, accountId }, signal));
    turn.release();
  }

  async #prepare(assignments: readonly VoiceAssignment[], signal: AbortSignal): Promise<void> {
    const prepared = new Set<string>();
    for (const { engine, language } of assignments) {
      const name = `${engine} ${language}`;
      if (prepared.has(name)) continue;
      prepared.add(name);
      await this.#deps.prepareEngine(engine, language, signal);
    }
  }

  /** Number of requests queued for first audio. */
  get queueLength(): number {
    return this.#firstAudioQueue.length;
  }

  #reportFirstAudio(stream: {
    readonly engine: string;
    readonly isLive: boolean;
    readonly startedAtMs: number | undefined;
  }): void {
    const { engine, isLive, startedAtMs } = stream;
    if (startedAtMs === undefined) return;
    this.#deps.observer?.firstAudio({ engine, isLive, seconds: (performance.now() - startedAtMs) / 1000 });
  }

  /** Counts a request as queued for first audio until the returned function is called. */
  #enterQueue(): () => void {
    if (this.#firstAudioQueue.length >= this.#deps.settings.queueMax) {
      this.#deps.observer?.refused('queue_full');
      throw new ApiError('queue_full', 'Too many requests are queued for first audio.', {
        retryAfterSeconds: 2,
      });
    }
    return this.#firstAudioQueue.enter();
  }

  #speak(
    request: SpeechRequest,
    pieces: Iterator<PlannedPiece> | AsyncIterator<PlannedPiece>,
    { load, ...call }: { readonly signal: AbortSignal; readonly load: StreamLoad; readonly isLive?: boolean },
  ): AsyncGenerator<PieceEvent> {
    const {
      accountId,
      speed,
      conditionOnPreviousChunks: isContinuous,
      visemes: needsPhonemeTimes = false,
      volumeDb,
    } = request;
    const seed = request.seed ?? randomInt(SEED_MAX);
    const events = synthesizePieces(this.#workers, pieces, {
      accountId,
      speed,
      seed,
      isContinuous,
      needsPhonemeTimes,
      loudness: request.normalizeLoudness
        ? { targetLufs: this.#deps.settings.loudnessLufs, volumeDb }
        : undefined,
      onUtterance: (engine) => load.beginUtterance(engine),
      delayPiece: call.isLive ? undefined : (dueAtMs) => this.#firstAudioQueue.wait(dueAtMs),
      ...call,
    });
    return load.measure(call.isLive ? events : this.#refuseAfterFailure(request, events));
  }

  /** A text with a piece that cannot be synthesized is refused as a whole the next time. */
  async *#refuseAfterFailure(
    request: SpeechRequest,
    events: AsyncIterable<PieceEvent>,
  ): AsyncGenerator<PieceEvent> {
    try {
      yield* events;
    } catch (error) {
      const isRefused = error instanceof ApiError && error.code === 'text_not_synthesizable';
      if (isRefused) this.#deps.failingTexts.refuse(keyOf(request));
      throw error;
    }
  }

  async #render(
    request: SpeechRequest,
    events: AsyncGenerator<PieceEvent>,
    {
      delivered,
      load,
      timeline,
    }: {
      readonly delivered: DeliveredTextCounter;
      readonly load: StreamLoad;
      readonly timeline?: Timeline | undefined;
    },
  ): Promise<AudioFile> {
    const { speed, volumeDb, normalizeLoudness } = request;
    const joined = joinPieces(delivered.track(events), {
      speed,
      volumeDb,
      loudness: normalizeLoudness ? { targetLufs: this.#deps.settings.loudnessLufs } : undefined,
      timeline,
    });
    const audio = load.follow(joined);
    const mark = await this.#deps.watermarkOf?.(request.accountId);
    const marked = mark === undefined ? audio : applyWatermark(audio, mark);
    const file = await encodeSpeech(marked, audioSettingsOf(request));
    return { ...file, body: delivered.deliver(file.body) };
  }
}

/** The key of a text in `FailingTexts`. */
function keyOf({ accountId, model, text }: SpeechRequest): string {
  return FailingTexts.keyOf(accountId, model, text);
}

/** Zero-shot engines support neither word times nor other speeds. Without recordings, another engine is selected. */
function withoutReferenceRecordings(request: SpeechRequest): SpeechRequest {
  if (request.voice === undefined) return request;
  const voices = [request.voice].flat().map((voice) => ({ ...voice, recording: undefined }));
  return { ...request, voice: Array.isArray(request.voice) ? voices : voices[0] };
}

interface RenderOptions {
  readonly signal: AbortSignal;
  readonly timeline?: Timeline;
}

async function* planAllPieces(
  turns: readonly PlannedTurn[],
  request: SpeechRequest,
  { assigner, limits }: { readonly assigner: VoiceAssigner; readonly limits: TextLimits },
): AsyncGenerator<PlannedPiece> {
  const state = new PlanningState(request.accountId, limits, request.directions);
  const textOptions = toTextOptions(request);
  for (const [index, turn] of turns.entries()) {
    const firstPieceLength = index === 0 ? textOptions.firstPieceLength : Number.POSITIVE_INFINITY;
    const finalBoundary = index === turns.length - 1 ? 'end' : 'sentence';
    yield* planPieces(turn, { finalBoundary, assigner, state, ...textOptions, firstPieceLength });
  }
}

function toTextOptions(request: SpeechRequest) {
  const { normalize, pronunciations } = request;
  return { normalize, pronunciations, cueStyle: 'both', ...choosePieceLengths(request) } as const;
}

async function* withApiErrors(
  body: AsyncIterable<TimedAudio>,
  signal: AbortSignal,
  { onAudio, onEnd }: { readonly onAudio: () => void; readonly onEnd: () => void },
): AsyncGenerator<TimedAudio> {
  try {
    for await (const timed of body) {
      onAudio();
      yield timed;
    }
  } catch (error) {
    throw toSpeechError(error, signal);
  } finally {
    onEnd();
  }
}

/** Converts an engine failure to an `ApiError`. */
function toSpeechError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError || signal.aborted) return error;
  if (error instanceof WorkerLostError) {
    return new ApiError('engine_failed', 'The engine failed repeatedly before it produced audio.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return new ApiError('engine_failed', 'The engine failed before it produced audio.', { cause: error });
}
