import { ApiError } from '../../errors.ts';
import { dominantScript } from '../../text/normalise/script.ts';
import type { Language, Piece } from '../../text/piece.ts';
import { languageOfTag } from '../../text/ssml/build-ssml-phrases.ts';
import type { EngineVoice } from '../engines/tts-engine.ts';
import { requireVoice, type VoiceCatalogue } from '../voices/catalogue/voice-catalogue.ts';
import type { Voice } from '../voices/voice.ts';
import type { EngineSelector } from './engine-selector.ts';
import { chooseLanguage } from './choose-language.ts';
import type { PiecePlan } from './piece-synthesizer.ts';

/** Who says a stretch of text, in what language, and which engine does it. */
export interface VoiceAssignment {
  readonly voice: Voice;
  readonly language: Language;
  readonly engine: string;
}

export interface VoiceAssignerOptions {
  readonly voices: VoiceCatalogue;
  readonly engines: EngineSelector;
  /** Name or id of the voice for requests that name none. */
  readonly defaultVoice: string;
  readonly request: {
    readonly model: string;
    readonly voice: string | readonly string[] | undefined;
    readonly ownVoices?: readonly Voice[];
    readonly language: Language | undefined;
  };
}

/** The voice that reads a language when the client names no voice. */
const DEFAULT_VOICES: Partial<Record<Language, string>> = {
  zh: 'zf_xiaoxiao',
  ja: 'jf_alpha',
  hi: 'hf_alpha',
};

/** Gives every stretch of one request's text to a voice. Refuses what no voice can say. */
export class VoiceAssigner {
  readonly #options: VoiceAssignerOptions;
  /** The voices the client named; empty when it named none. */
  readonly #named: readonly Voice[];
  readonly #isList: boolean;
  #unnamed: Voice | undefined;
  /** What each voice read last, by its id. */
  readonly #lastLanguages = new Map<string, Language>();

  /** Throws `voice_not_found` when the client names a voice that is not there. */
  constructor(options: VoiceAssignerOptions) {
    const { voice } = options.request;
    const names = voice === undefined ? [] : [voice].flat();
    this.#options = options;
    this.#isList = Array.isArray(voice);
    this.#named = names.map((name) => this.#find(name));
  }

  /**
   * Who says a stretch. `languageTag` is the language that the text itself says it is in. Throws
   * `speaker_without_voice` when the client's list has no voice for the speaker.
   */
  assign(text: string, speaker: number | undefined, languageTag?: string): VoiceAssignment {
    const named = this.#namedVoice(speaker);
    const usual = named ?? this.#unnamed ?? requireVoice(this.#options.voices, this.#options.defaultVoice);
    const language = this.#languageOf(text, usual, languageTag);
    // Without a named voice the first words decide, and whoever began goes on.
    if (named === undefined) this.#unnamed ??= this.#defaultVoice(language);
    const voice = named ?? this.#unnamed ?? usual;
    this.#lastLanguages.set(voice.id, language);
    return { voice, language, engine: this.#engineFor(voice) };
  }

  /** The language a text would be read in by the first voice. A text that nobody can read gets that voice's own. */
  languageOf(text: string): Language {
    const voice =
      this.#named[0] ?? this.#unnamed ?? requireVoice(this.#options.voices, this.#options.defaultVoice);
    try {
      return this.#languageOf(text, voice);
    } catch {
      return voice.language;
    }
  }

  /** The language of a voice that a text names. */
  voiceLanguage(name: string): Language | undefined {
    return this.#options.voices.resolve(name)?.language;
  }

  /** The role of one piece of a stretch: the text itself may call for another voice or language. */
  assignPiece(role: VoiceAssignment, piece: Pick<Piece, 'voice' | 'language'>): VoiceAssignment {
    if (piece.voice === undefined && piece.language === undefined) return role;
    const voice = piece.voice === undefined ? role.voice : this.#find(piece.voice);
    return { voice, language: piece.language ?? role.language, engine: this.#engineFor(voice) };
  }

  #find(name: string): Voice {
    const own = this.#options.request.ownVoices?.find(({ id }) => id === name);
    return own ?? requireVoice(this.#options.voices, name);
  }

  #namedVoice(speaker: number | undefined): Voice | undefined {
    if (!this.#isList) return this.#named[0];
    const index = speaker ?? 0;
    const voice = this.#named[index];
    if (voice === undefined) {
      throw new ApiError(
        'speaker_without_voice',
        `The text names speaker ${index}, but \`reference_id\` has ${this.#named.length} voices.`,
      );
    }
    return voice;
  }

  /** A language that came before is kept while it can read the script: Japanese is also written in Han alone. */
  #languageOf(text: string, voice: Voice, languageTag?: string): Language {
    const script = dominantScript(text);
    const named = languageTag === undefined ? undefined : assertSpoken(languageTag, voice);
    const requested = this.#options.request.language ?? named;
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

/** The language of a tag. Only a voice of a language we do not know can read another such. */
function assertSpoken(tag: string, voice: Voice): Language {
  const language = languageOfTag(tag, voice.language);
  if (language !== 'und' || voice.language === 'und') return language;
  throw new ApiError(
    'language_not_supported',
    `The text is in ${JSON.stringify(tag.slice(0, 40))}, which no installed voice can read.`,
  );
}

/** What the workers need to know of a role. */
export function toPiecePlan({ voice, language, engine }: VoiceAssignment): PiecePlan {
  return { engine, voice: toEngineVoice(voice, engine), language, voiceLufs: voice.loudnessLufs };
}

/** Another engine than a voice's own speaks like its recording. */
function toEngineVoice({ recording, vector, melody, ...voice }: Voice, engine: string): EngineVoice {
  if (engine !== voice.engine && recording !== undefined) return { kind: 'recording', ...recording };
  return vector === undefined
    ? { kind: 'named', name: voice.engineVoice }
    : { kind: 'vector', values: vector, ...(melody && { pitchCorrection: melody }) };
}
