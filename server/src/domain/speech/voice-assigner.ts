import { ApiError } from '../../errors.ts';
import { detectTextLanguage } from '../../text/language/detect-language.ts';
import type { DetectedLanguage } from '../../text/language/function-words.ts';
import { dominantScript, type Script } from '../../text/normalise/script.ts';
import type { Language, Piece } from '../../text/piece.ts';
import { languageOfTag } from '../../text/ssml/build-ssml-phrases.ts';
import type { EngineVoice } from '../engines/tts-engine.ts';
import { requireVoice, type VoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import type { Voice } from '../voices/voice.ts';
import { chooseLanguage } from './choose-language.ts';
import type { EngineSelector } from './engine-selector.ts';
import type { LanguageMismatch } from './language-mismatch.ts';
import { TYPICAL_PAUSES } from './piece-pause.ts';
import type { PiecePlan } from './piece-synthesizer.ts';

/** The voice, language and engine of a text. */
export interface VoiceAssignment {
  readonly voice: Voice;
  readonly language: Language;
  readonly engine: string;
}

/** The assignments of a turn: the primary one, then those of other voices within it. */
export type VoiceAssignments = readonly [VoiceAssignment, ...VoiceAssignment[]];

export interface VoiceAssignerOptions {
  readonly voices: VoiceCatalogue;
  readonly engines: EngineSelector;
  /** Name or id of the voice for requests without one. */
  readonly defaultVoice: string;
  /** Default: `speak`. */
  readonly languageMismatch?: LanguageMismatch | undefined;
  readonly request: {
    readonly model: string;
    readonly voice: Voice | readonly Voice[] | undefined;
    readonly language: Language | undefined;
  };
}

/** Default voices by language, for requests without a voice. */
const DEFAULT_VOICES: Partial<Record<Language, string>> = {
  es: 'ef_dora',
  fr: 'ff_siwis',
  it: 'if_sara',
  'pt-BR': 'pf_dora',
  zh: 'zf_xiaoxiao',
  ja: 'jf_alpha',
  hi: 'hf_alpha',
};

/** Languages of the text front end by detected language. German is spoken by voices of an undetermined language only. */
const LANGUAGE_OF_DETECTED: Partial<Record<DetectedLanguage, Language>> = {
  ...{ es: 'es', fr: 'fr', it: 'it', pt: 'pt-BR' },
};

/** Assigns voices, languages and engines to the texts of one request. */
export class VoiceAssigner {
  readonly #options: VoiceAssignerOptions;
  /** The requested voices; empty if the request names none. */
  readonly #requestedVoices: readonly Voice[];
  readonly #isList: boolean;
  #defaultedVoice: Voice | undefined;
  /** Last language of each voice, by voice id. */
  readonly #lastLanguages = new Map<string, Language>();
  readonly #warnings = new Set<string>();

  constructor(options: VoiceAssignerOptions) {
    const { voice } = options.request;
    this.#options = options;
    this.#isList = Array.isArray(voice);
    this.#requestedVoices = voice === undefined ? [] : [voice].flat();
  }

  /**
   * Assigns a text. `languageTag` is the language declared in the text (SSML). Throws `speaker_without_voice` if the
   * requested list has no voice for the speaker.
   */
  assign(text: string, speaker: number | undefined, languageTag?: string): VoiceAssignment {
    const requested = this.#requestedVoice(speaker);
    const initial =
      requested ?? this.#defaultedVoice ?? requireVoice(this.#options.voices, this.#options.defaultVoice);
    const script = dominantScript(text);
    const mismatch =
      languageTag === undefined && script === 'Latin' ? this.#findMismatch(text, initial) : undefined;
    const chosen = this.#languageOf(script, initial, languageTag);
    const other = mismatch && requested === undefined ? this.#otherLanguage(mismatch) : undefined;
    const language = other ?? chosen;
    if (mismatch !== undefined && other === undefined) this.#handleMismatch(mismatch, initial);
    // Without a requested voice, the language of the first text selects the voice for the entire request.
    if (requested === undefined) this.#defaultedVoice ??= this.#defaultVoice(language);
    const voice = requested ?? this.#defaultedVoice ?? initial;
    this.#lastLanguages.set(voice.id, language);
    return { voice, language, engine: this.#engineFor(voice) };
  }

  /** Warnings about the texts assigned so far. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /**
   * The language of a text in Latin script that its voice does not speak; undefined if it speaks it or the language is
   * not clear.
   */
  #findMismatch(text: string, voice: Voice): DetectedLanguage | undefined {
    if (this.#options.request.language !== undefined) return undefined;
    const detected = detectTextLanguage(text);
    return detected === undefined || detected === baseOf(voice.locale) ? undefined : detected;
  }

  /** The language of the voice that replaces the default voice; undefined once a voice has been chosen. */
  #otherLanguage(detected: DetectedLanguage): Language | undefined {
    if (this.#defaultedVoice !== undefined) return undefined;
    const language = LANGUAGE_OF_DETECTED[detected];
    const name = language && DEFAULT_VOICES[language];
    return name && this.#options.voices.resolve(name) ? language : undefined;
  }

  #handleMismatch(detected: DetectedLanguage, voice: Voice): void {
    const message = `The text seems to be in "${detected}", and the voice speaks "${voice.locale}".`;
    if (this.#options.languageMismatch === 'refuse') {
      throw new ApiError(
        'language_not_supported',
        `${message} Name a voice of that language or set \`language\`.`,
      );
    }
    this.#warnings.add(`text seems to be in ${detected} but the voice speaks ${voice.locale}`);
  }

  /** The language of a text for the first voice; the voice's own language if the script is not supported. */
  languageOf(text: string): Language {
    const voice =
      this.#requestedVoices[0] ??
      this.#defaultedVoice ??
      requireVoice(this.#options.voices, this.#options.defaultVoice);
    try {
      return this.#languageOf(dominantScript(text), voice);
    } catch {
      return voice.language;
    }
  }

  /** The language of a voice named in the text. */
  voiceLanguage(name: string): Language | undefined {
    return this.#options.voices.resolve(name)?.language;
  }

  /** The assignment of one piece: SSML may change the voice or the language within a text. */
  assignPiece(assignment: VoiceAssignment, piece: Pick<Piece, 'voice' | 'language'>): VoiceAssignment {
    if (piece.voice === undefined && piece.language === undefined) return assignment;
    const voice = piece.voice === undefined ? assignment.voice : this.#find(piece.voice);
    return { voice, language: piece.language ?? assignment.language, engine: this.#engineFor(voice) };
  }

  #find(name: string): Voice {
    return this.#requestedVoices.find(({ id }) => id === name) ?? requireVoice(this.#options.voices, name);
  }

  #requestedVoice(speaker: number | undefined): Voice | undefined {
    if (!this.#isList) return this.#requestedVoices[0];
    const index = speaker ?? 0;
    const voice = this.#requestedVoices[index];
    if (voice === undefined) {
      throw new ApiError(
        'speaker_without_voice',
        `The text names speaker ${index}, but \`reference_id\` has ${this.#requestedVoices.length} voices.`,
      );
    }
    return voice;
  }

  /** Keeps the last language while it uses the script: a Japanese sentence may consist of Han characters only. */
  #languageOf(script: Script | undefined, voice: Voice, languageTag?: string): Language {
    const declared = languageTag === undefined ? undefined : requireLanguage(languageTag, voice);
    const requested = this.#options.request.language ?? declared;
    const language = chooseLanguage(script, { voice, requested });
    const last = this.#lastLanguages.get(voice.id);
    if (last === undefined || language === (requested ?? voice.language)) return language;
    return chooseLanguage(script, { voice, requested: last });
  }

  #defaultVoice(language: Language): Voice {
    return requireVoice(this.#options.voices, DEFAULT_VOICES[language] ?? this.#options.defaultVoice);
  }

  #engineFor(voice: Voice): string {
    return this.#options.engines.selectEngine(this.#options.request.model, voice);
  }
}

function baseOf(locale: string): string {
  return locale.split('-')[0]!.toLowerCase();
}

/** The language of a tag. Undetermined languages are only accepted for a voice with an undetermined language. */
function requireLanguage(tag: string, voice: Voice): Language {
  const language = languageOfTag(tag, voice.language);
  if (language !== 'und' || voice.language === 'und') return language;
  throw new ApiError(
    'language_not_supported',
    `The text is in ${JSON.stringify(tag.slice(0, 40))}, which no installed voice supports.`,
  );
}

/** The plan of a piece from its assignment. */
export function toPiecePlan({ voice, language, engine }: VoiceAssignment): PiecePlan {
  const { loudnessLufs: voiceLufs, pauses = TYPICAL_PAUSES } = voice;
  const engineVoice = toEngineVoice(voice, engine);
  // Zero-shot engines have other levels than the engine with which a voice is measured.
  const isLoudnessTypical = voice.isLoudnessTypical || engineVoice.kind === 'recording';
  return {
    engine,
    voice: engineVoice,
    language,
    voiceLufs,
    pauses,
    ...(isLoudnessTypical && { isLoudnessTypical }),
  };
}

/** A zero-shot engine receives the reference recording; the voice's own engine its name or vector. */
function toEngineVoice({ recording, vector, pitchCorrection, ...voice }: Voice, engine: string): EngineVoice {
  if (engine !== voice.engine && recording !== undefined) return { kind: 'recording', ...recording };
  return vector === undefined
    ? { kind: 'named', name: voice.engineVoice }
    : { kind: 'vector', values: vector, ...(pitchCorrection && { pitchCorrection }) };
}
