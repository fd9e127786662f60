import { randomInt } from 'node:crypto';
import type { Mark } from '../../audio/watermark/watermarker.ts';
import { ApiError } from '../../errors.ts';
import { hasSpeech } from '../../text/normalise/script.ts';
import type { Language } from '../../text/piece.ts';
import { isSsml, type SsmlLimits } from '../../text/ssml/ssml-events.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import type { VoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import { hasVocalSound } from './acting/has-vocal-sound.ts';
import { applyWatermark } from './apply-watermark.ts';
import { joinPieces } from './audio-pipeline.ts';
import type { Capacity } from './capacity.ts';
import { VoiceAssigner, type VoiceAssignment } from './voice-assigner.ts';
import { DeliveredTextCounter } from './delivered-text-counter.ts';
import { type AudioFile, type AudioSettings, encodeSpeech } from './encode-speech.ts';
import type { EngineSelector } from './engine-selector.ts';
import { LiveSynthesis } from './live-synthesis.ts';
import { choosePieceLengths } from './choose-piece-lengths.ts';
import { type PieceEvent, type PlannedPiece, synthesizePieces } from './piece-synthesizer.ts';
import { type PlannedTurn, planSsml, planTurns, planPieces, PlanningState } from './plan-pieces.ts';
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

export interface SpeechSynthesizerDeps {
  readonly workers: SpeechWorkers;
  readonly voices: VoiceCatalogue;
  readonly engines: EngineSelector;
  /** Resolves when the models it takes are installed; rejects with an `ApiError` when that takes too long. */
  readonly prepareEngine: (engine: string, language: Language, signal: AbortSignal) => Promise<void>;
  readonly capacity: Capacity;
  /** What the speech of an account is marked with. Absent: none is. */
  readonly watermarkOf?: ((accountId: string) => Promise<Mark | undefined>) | undefined;
  readonly settings: SpeechSettings;
}

export interface SpeechSettings extends SsmlLimits {
  /** Name or id of the voice for requests that name none. */
  readonly defaultVoice: string;
  /** Requests that may wait for their first audio. */
  readonly queueMax: number;
  readonly loudnessLufs: number;
  /** Text of a live session that may wait to be spoken. */
  readonly liveBufferMaxChars: number;
}

const SEED_MAX = 2 ** 31;

/** Speaks requests with the engines of the worker processes. */
export class SpeechSynthesizer implements SpeechService {
  readonly #deps: SpeechSynthesizerDeps;
  #waiting = 0;

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
    const heard = new DeliveredTextCounter();
    const session = new LiveSynthesis({
      cast: this.#castFor(withoutReferenceRecordings(request)),
      reading: textOptions(request),
      bufferMaxChars: this.#deps.settings.liveBufferMaxChars,
      ssmlLimits: this.#deps.settings,
      prepare: (roles) => {
        // A session waits for nobody but its client until there is something to say.
        leaveQueue ??= this.#enterQueue();
        return this.#prepareLive(roles, signal);
      },
      render: (pieces, timeline) => {
        const events = this.#deps.capacity.trackLive(this.#speak(request, pieces, { signal, isLive: true }));
        return this.#render(request, events, { timeline, heard });
      },
      signal,
    });
    session.write(request.text);
    return {
      write: (text) => session.write(text),
      flush: () => session.flush(),
      end: () => session.end(),
      deliveredChars: () => heard.chars,
      body: withApiErrors(session.body, signal, () => leaveQueue?.()),
    };
  }

  async #open(request: SpeechRequest, options: RenderOptions): Promise<SpeechResult> {
    const cast = this.#castFor(options.timeline === undefined ? request : withoutReferenceRecordings(request));
    const turns = this.#turnsOf(request, cast);
    const leaveQueue = this.#enterQueue();
    let leaveWorkers: (() => void) | undefined;
    try {
      const roles = turns.flatMap(({ role, otherAssignments = [] }) => [role, ...otherAssignments]);
      await this.#prepare(roles, options.signal);
      leaveWorkers = await this.#deps.capacity.admit(roles[0]!.engine, options.signal);
      const heard = new DeliveredTextCounter();
      const pieces = planAllPieces(turns, request, cast);
      const spoken = this.#speak(request, pieces, { signal: options.signal });
      const events = this.#deps.capacity.track(spoken, leaveWorkers);
      const { contentType, body } = await this.#render(request, events, { heard, ...options });
      const names = new Set(roles.map(({ voice }) => voice.name));
      return {
        contentType,
        body,
        model: request.model,
        engine: roles[0]!.engine,
        voice: [...names].join(', '),
        deliveredChars: () => heard.chars,
      };
    } catch (error) {
      leaveWorkers?.();
      throw toSpeechError(error, options.signal);
    } finally {
      leaveQueue();
    }
  }

  /** Everything that can be refused without an engine is refused here. */
  #turnsOf({ text }: SpeechRequest, cast: VoiceAssigner): PlannedTurn[] {
    if (isSsml(text)) return [planSsml(text, cast, this.#deps.settings)];
    if (text !== '' && !hasSpeech(text) && !hasVocalSound(text)) {
      throw new ApiError('nothing_to_speak', 'The text has nothing to speak: it holds no letter or digit.');
    }
    const source = { text, start: 0 };
    return text === ''
      ? [{ source, role: cast.assign('', undefined), speaker: undefined }]
      : planTurns(source, cast);
  }

  #castFor(request: SpeechRequest): VoiceAssigner {
    const { voices, engines, settings } = this.#deps;
    const heard = request.speed === 1 ? request : withoutReferenceRecordings(request);
    return new VoiceAssigner({ voices, engines, defaultVoice: settings.defaultVoice, request: heard });
  }

  /** A live session waits for its turn once; it takes no place while it has nothing to say. */
  async #prepareLive(roles: readonly VoiceAssignment[], signal: AbortSignal): Promise<void> {
    await this.#prepare(roles, signal);
    const leave = await this.#deps.capacity.admit(roles[0]!.engine, signal);
    leave();
  }

  async #prepare(roles: readonly VoiceAssignment[], signal: AbortSignal): Promise<void> {
    for (const { engine, language } of roles) await this.#deps.prepareEngine(engine, language, signal);
  }

  /** Counts a request among those that wait for their first audio, until the function it gives is called. */
  #enterQueue(): () => void {
    if (this.#waiting >= this.#deps.settings.queueMax) {
      throw new ApiError('queue_full', 'Too many requests are waiting for their first audio.', {
        retryAfterSeconds: 2,
      });
    }
    this.#waiting++;
    let isWaiting = true;
    return () => {
      if (isWaiting) this.#waiting--;
      isWaiting = false;
    };
  }

  #speak(
    request: SpeechRequest,
    pieces: Iterator<PlannedPiece> | AsyncIterator<PlannedPiece>,
    call: { readonly signal: AbortSignal; readonly isLive?: boolean },
  ): AsyncGenerator<PieceEvent> {
    const { speed, conditionOnPreviousChunks: isContinuous, visemes: wantsPhonemes = false } = request;
    const seed = request.seed ?? randomInt(SEED_MAX);
    return synthesizePieces(this.#deps.workers, pieces, { speed, seed, isContinuous, wantsPhonemes, ...call });
  }

  async #render(
    request: SpeechRequest,
    events: AsyncGenerator<PieceEvent>,
    { heard, timeline }: { readonly heard: DeliveredTextCounter; readonly timeline?: Timeline | undefined },
  ): Promise<AudioFile> {
    const { speed, volumeDb, normalizeLoudness } = request;
    const sound = joinPieces(heard.count(events), {
      speed,
      volumeDb,
      levelling: normalizeLoudness ? { targetLufs: this.#deps.settings.loudnessLufs } : undefined,
      timeline,
    });
    const mark = await this.#deps.watermarkOf?.(request.accountId);
    return encodeSpeech(mark === undefined ? sound : applyWatermark(sound, mark), audioSettings(request));
  }
}

/** Engines that speak like a recording tell no times and know one pace: what needs either is spoken by the others. */
function withoutReferenceRecordings(request: SpeechRequest): SpeechRequest {
  if (request.ownVoices === undefined) return request;
  return { ...request, ownVoices: request.ownVoices.map((voice) => ({ ...voice, recording: undefined })) };
}

interface RenderOptions {
  readonly signal: AbortSignal;
  readonly timeline?: Timeline;
}

function* planAllPieces(turns: readonly PlannedTurn[], request: SpeechRequest, cast: VoiceAssigner): Generator<PlannedPiece> {
  const progress = new PlanningState();
  const reading = textOptions(request);
  for (const [index, turn] of turns.entries()) {
    const firstPieceLength = index === 0 ? reading.firstPieceLength : Number.POSITIVE_INFINITY;
    const ends = index === turns.length - 1 ? 'end' : 'sentence';
    yield* planPieces(turn, { ends, cast, progress, ...reading, firstPieceLength });
  }
}

function textOptions(request: SpeechRequest) {
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

/** A failure of the engine, as the client sees it. */
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
