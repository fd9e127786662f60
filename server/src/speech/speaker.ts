import { randomInt } from 'node:crypto';
import type { EngineVoice } from '../engines/engine.ts';
import { ApiError } from '../errors.ts';
import { findMarkupProblem } from '../text/markup-problem.ts';
import type { Language } from '../text/piece.ts';
import { readText } from '../text/read-text.ts';
import { dominantScript, hasSpeech } from '../text/script.ts';
import type { Voice } from '../voices/voice.ts';
import { requireVoice, type VoiceCatalogue } from '../voices/voice-catalogue.ts';
import { performPieces } from './acting/cue-scope.ts';
import { type AudioSettings, encodeSpeech } from './audio-file.ts';
import { DeliveryCount } from './delivery-count.ts';
import type { EngineChoice } from './engine-choice.ts';
import { chooseLanguage } from './language-choice.ts';
import { pieceLengths } from './piece-lengths.ts';
import { speakPieces } from './piece-speaker.ts';
import { joinPieces } from './sound-chain.ts';
import type { SpeakRequest, SpeakResult, SpeechService } from './speech-service.ts';
import { type SpeechWorkers, WorkerLostError } from './workers.ts';

export interface SpeakerDeps {
  readonly workers: SpeechWorkers;
  readonly voices: VoiceCatalogue;
  readonly engines: EngineChoice;
  /** Resolves when the models it takes are installed; rejects with an `ApiError` when that takes too long. */
  readonly prepareEngine: (engine: string, language: Language, signal: AbortSignal) => Promise<void>;
  readonly settings: SpeakerSettings;
}

export interface SpeakerSettings {
  /** Name or id of the voice for requests that name none. */
  readonly defaultVoice: string;
  /** Requests that may wait for their first audio. */
  readonly queueMax: number;
  readonly loudnessLufs: number;
}

const SEED_MAX = 2 ** 31;

/** The voice that reads a language when the client names no voice. */
const DEFAULT_VOICES: Partial<Record<Language, string>> = {
  zh: 'zf_xiaoxiao',
  ja: 'jf_alpha',
  hi: 'hf_alpha',
};

/** Speaks requests with the engines of the worker processes. */
export class Speaker implements SpeechService {
  readonly #deps: SpeakerDeps;
  #waiting = 0;

  constructor(deps: SpeakerDeps) {
    this.#deps = deps;
  }

  async speak(request: SpeakRequest, signal: AbortSignal): Promise<SpeakResult> {
    const { settings } = this.#deps;
    const plan = this.#plan(request);
    if (this.#waiting >= settings.queueMax) {
      throw new ApiError('queue_full', 'Too many requests are waiting for their first audio.', {
        retryAfterSeconds: 2,
      });
    }
    this.#waiting++;
    try {
      return await this.#begin(request, plan, signal);
    } catch (error) {
      throw toApiError(error, signal);
    } finally {
      this.#waiting--;
    }
  }

  /** Everything that can be refused without an engine is refused here. */
  #plan(request: SpeakRequest): { voice: Voice; language: Language; engine: string } {
    const { text } = request;
    if (text !== '' && !hasSpeech(text)) {
      throw new ApiError('nothing_to_speak', 'The text has nothing to speak: it holds no letter or digit.');
    }
    const { voices, engines, settings } = this.#deps;
    const named = request.voice === undefined ? undefined : requireVoice(voices, request.voice);
    const usual = named ?? requireVoice(voices, settings.defaultVoice);
    const language = chooseLanguage(dominantScript(text), { voice: usual, requested: request.language });
    const problem = findMarkupProblem(text, language);
    if (problem) throw new ApiError('invalid_phonemes', problem.message);
    const voice = named ?? requireVoice(voices, DEFAULT_VOICES[language] ?? settings.defaultVoice);
    return { voice, language, engine: engines.engineFor(request.model, voice) };
  }

  async #begin(
    request: SpeakRequest,
    plan: { voice: Voice; language: Language; engine: string },
    signal: AbortSignal,
  ): Promise<SpeakResult> {
    const { voice, language, engine } = plan;
    await this.#deps.prepareEngine(engine, language, signal);
    const pieces = readText(request.text, {
      language,
      normalize: request.normalize,
      cueStyle: 'both',
      pronunciations: request.pronunciations,
      ...pieceLengths(request),
    });
    const events = speakPieces(this.#deps.workers, performPieces(pieces), {
      engine,
      voice: engineVoice(voice),
      language,
      speed: request.speed,
      seed: request.seed ?? randomInt(SEED_MAX),
      signal,
    });
    const heard = new DeliveryCount();
    const sound = joinPieces(heard.count(events), {
      speed: request.speed,
      volumeDb: request.volumeDb,
      // A gain that is fixed per voice does most of the levelling, so that little is left to move.
      levelling: request.normalizeLoudness
        ? { targetLufs: this.#deps.settings.loudnessLufs, voiceLufs: voice.loudnessLufs }
        : undefined,
    });
    const file = await encodeSpeech(sound, audioSettings(request));
    return { ...file, model: request.model, engine, voice: voice.name, deliveredChars: () => heard.chars };
  }
}

function engineVoice(voice: Voice): EngineVoice {
  return { kind: 'named', name: voice.engineVoice };
}

function audioSettings(request: SpeakRequest): AudioSettings {
  const { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps } = request;
  return { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps };
}

/** A failure before the first audio, as the client sees it. */
function toApiError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ApiError || signal.aborted) return error;
  if (error instanceof WorkerLostError) {
    return new ApiError('engine_failed', 'The engine failed twice before it produced audio.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return new ApiError('engine_failed', 'The engine failed before it produced audio.', { cause: error });
}
