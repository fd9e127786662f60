import { randomInt } from 'node:crypto';
import type { Watermark } from '../../audio/watermark/watermark-embedder.ts';
import { ApiError } from '../../errors.ts';
import type { Language } from '../../text/piece.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import type { VoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import { applyWatermark } from './apply-watermark.ts';
import { joinPieces } from './audio-pipeline.ts';
import type { Capacity } from './capacity.ts';
import { choosePieceLengths } from './choose-piece-lengths.ts';
import { DeliveredTextCounter } from './delivered-text-counter.ts';
import { type AudioFile, type AudioSettings, encodeSpeech } from './encode-speech.ts';
import type { EngineSelector } from './engine-selector.ts';
import { LiveSynthesis } from './live-synthesis.ts';
import { type PieceEvent, type PlannedPiece, synthesizePieces } from './piece-synthesizer.ts';
import {
  createNothingToSpeakError,
  type PlannedTurn,
  PlanningState,
  planPieces,
  planText,
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
  /** The watermark of an account. Absent: no watermarks. */
  readonly watermarkOf?: ((accountId: string) => Promise<Watermark | undefined>) | undefined;
  readonly settings: SpeechSettings;
}

export interface SpeechSettings extends TextLimits {
  /** Name or id of the voice for requests without one. */
  readonly defaultVoice: string;
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
  #queuedCount = 0;

  constructor(deps: SpeechSynthesizerDeps) {
    this.#deps = deps;
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
    const delivered = new DeliveredTextCounter();
    const session = new LiveSynthesis({
      assigner: this.#createAssigner(withoutReferenceRecordings(request)),
      textOptions: toTextOptions(request),
      bufferMaxChars: this.#deps.settings.liveBufferMaxChars,
      limits: this.#deps.settings,
      prepare: (assignments) => {
        // A live session enters the queue only when it has text to speak.
        leaveQueue ??= this.#enterQueue();
        return this.#prepareLive(assignments, signal);
      },
      render: (pieces, timeline) => {
        const events = this.#deps.capacity.trackLive(this.#speak(request, pieces, { signal, isLive: true }));
        return this.#render(request, events, { timeline, delivered });
      },
      signal,
    });
    session.write(request.text);
    return {
      write: (text) => session.write(text),
      flush: () => session.flush(),
      end: () => session.end(),
      deliveredChars: () => delivered.chars,
      body: withApiErrors(session.body, signal, () => leaveQueue?.()),
    };
  }

  async #open(request: SpeechRequest, options: RenderOptions): Promise<SpeechResult> {
    const assigner = this.#createAssigner(
      options.timeline === undefined ? request : withoutReferenceRecordings(request),
    );
    const turns = planText(request.text, assigner, this.#deps.settings);
    const leaveQueue = this.#enterQueue();
    let releaseCapacity: (() => void) | undefined;
    try {
      const assignments = turns.flatMap(({ assignment, otherAssignments = [] }) => [
        assignment,
        ...otherAssignments,
      ]);
      const [primary] = assignments;
      if (primary === undefined) throw createNothingToSpeakError();
      await this.#prepare(assignments, options.signal);
      releaseCapacity = await this.#deps.capacity.admit(primary.engine, options.signal);
      const delivered = new DeliveredTextCounter();
      const pieces = planAllPieces(turns, request, { assigner, limits: this.#deps.settings });
      const pieceEvents = this.#speak(request, pieces, { signal: options.signal });
      const events = this.#deps.capacity.track(pieceEvents, releaseCapacity);
      const { contentType, body } = await this.#render(request, events, { delivered, ...options });
      const names = new Set(assignments.map(({ voice }) => voice.name));
      return {
        contentType,
        body,
        model: request.model,
        engine: primary.engine,
        voice: [...names].join(', '),
        deliveredChars: () => delivered.chars,
      };
    } catch (error) {
      releaseCapacity?.();
      throw toSpeechError(error, options.signal);
    } finally {
      leaveQueue();
    }
  }

  #createAssigner(request: SpeechRequest): VoiceAssigner {
    const { voices, engines, settings } = this.#deps;
    return new VoiceAssigner({
      voices,
      engines,
      defaultVoice: settings.defaultVoice,
      request: request.speed === 1 ? request : withoutReferenceRecordings(request),
    });
  }

  /** A live session waits for capacity before each turn; the capacity is counted by `trackLive`. */
  async #prepareLive(assignments: VoiceAssignments, signal: AbortSignal): Promise<void> {
    await this.#prepare(assignments, signal);
    const releaseCapacity = await this.#deps.capacity.admit(assignments[0].engine, signal);
    releaseCapacity();
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

  /** Counts a request as queued for first audio until the returned function is called. */
  #enterQueue(): () => void {
    if (this.#queuedCount >= this.#deps.settings.queueMax) {
      throw new ApiError('queue_full', 'Too many requests are queued for first audio.', {
        retryAfterSeconds: 2,
      });
    }
    this.#queuedCount++;
    let isQueued = true;
    return () => {
      if (isQueued) this.#queuedCount--;
      isQueued = false;
    };
  }

  #speak(
    request: SpeechRequest,
    pieces: Iterator<PlannedPiece> | AsyncIterator<PlannedPiece>,
    call: { readonly signal: AbortSignal; readonly isLive?: boolean },
  ): AsyncGenerator<PieceEvent> {
    const { speed, conditionOnPreviousChunks: isContinuous, visemes: needsPhonemeTimes = false } = request;
    const seed = request.seed ?? randomInt(SEED_MAX);
    return synthesizePieces(this.#deps.workers, pieces, {
      speed,
      seed,
      isContinuous,
      needsPhonemeTimes,
      ...call,
    });
  }

  async #render(
    request: SpeechRequest,
    events: AsyncGenerator<PieceEvent>,
    {
      delivered,
      timeline,
    }: { readonly delivered: DeliveredTextCounter; readonly timeline?: Timeline | undefined },
  ): Promise<AudioFile> {
    const { speed, volumeDb, normalizeLoudness } = request;
    const audio = joinPieces(delivered.count(events), {
      speed,
      volumeDb,
      loudness: normalizeLoudness ? { targetLufs: this.#deps.settings.loudnessLufs } : undefined,
      timeline,
    });
    const mark = await this.#deps.watermarkOf?.(request.accountId);
    return encodeSpeech(mark === undefined ? audio : applyWatermark(audio, mark), audioSettings(request));
  }
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
  const state = new PlanningState(limits);
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

function audioSettings(request: SpeechRequest): AudioSettings {
  const { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps } = request;
  return { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps };
}

async function* withApiErrors(
  body: AsyncIterable<TimedAudio>,
  signal: AbortSignal,
  onAudio: () => void,
): AsyncGenerator<TimedAudio> {
  try {
    for await (const timed of body) {
      onAudio();
      yield timed;
    }
  } catch (error) {
    throw toSpeechError(error, signal);
  } finally {
    onAudio();
  }
}

/** Converts an engine failure to an `ApiError`. */
function toSpeechError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError || signal.aborted) return error;
  if (error instanceof WorkerLostError) {
    return new ApiError('engine_failed', 'The engine failed twice before it produced audio.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return new ApiError('engine_failed', 'The engine failed before it produced audio.', { cause: error });
}
