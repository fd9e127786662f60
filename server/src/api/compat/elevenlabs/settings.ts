import { z } from 'zod';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import type { VoiceCatalogue } from '../../../domain/voices/catalogue/voice-catalogue.ts';
import type { ApiConfig } from '../../dependencies.ts';
import { WELL_KNOWN_VOICES } from './well-known-voices.ts';

const DEFAULT_VOICES = new Set(['', '-', 'default']);
const DEFAULT_LANGUAGE = 'en-US';
/** The part of a language code that is read: the time of `Intl` grows with the square of the length. */
const LANGUAGE_CODE_MAX_CHARS = 100;

/** Voice settings. `similarity_boost`, `style` and `use_speaker_boost` are accepted and ignored. */
export const VoiceSettingsSchema = z.object({
  stability: z.number().min(0).max(1).nullish(),
  speed: z.number().min(0.5, 'speed must be in [0.5, 2.0]').max(2, 'speed must be in [0.5, 2.0]').nullish(),
});

/** Maps voice settings to native fields; `temperature` is 1 - `stability`. */
export function toVoiceFields(settings: z.output<typeof VoiceSettingsSchema> | null | undefined) {
  return {
    prosody: { speed: settings?.speed ?? 1 },
    ...(settings?.stability != null && { temperature: 1 - settings.stability }),
  };
}

/** Pronunciation dictionaries. The server applies at most three. */
export const DictionaryLocatorsSchema = z
  .array(
    z.object({
      pronunciation_dictionary_id: z.string(),
      version_id: z.string('`version_id` is required'),
    }),
  )
  .max(16)
  .nullish();

/** Maps dictionaries to the native field. */
export function toDictionaryFields(locators: z.output<typeof DictionaryLocatorsSchema>) {
  const dictionaries = locators?.map((locator) => ({
    id: locator.pronunciation_dictionary_id,
    version: locator.version_id,
  }));
  return { pronunciation_dictionary: dictionaries ?? null };
}

export interface VoiceMapDeps {
  readonly config: Pick<ApiConfig, 'elevenLabsVoices'>;
  readonly voices: Pick<VoiceCatalogue, 'resolve'>;
}

/**
 * The voice named in a path; undefined is the default voice. An id of ElevenLabs maps to the voice of the setting, else
 * to a built-in voice of the same gender and accent, or to the default voice where that is not installed.
 */
export function toVoiceName(voiceId: string, { config, voices }: VoiceMapDeps): string | undefined {
  if (DEFAULT_VOICES.has(voiceId)) return undefined;
  if (Object.hasOwn(config.elevenLabsVoices, voiceId)) return config.elevenLabsVoices[voiceId];
  if (!Object.hasOwn(WELL_KNOWN_VOICES, voiceId)) return voiceId;
  return voices.resolve(WELL_KNOWN_VOICES[voiceId]!)?.name;
}

/** Converts a language code to a BCP 47 tag. ElevenLabs' clients also send ISO 639-3 codes, `eng` for `en`. */
export function toLanguageTag(code: string | null | undefined): string | undefined {
  const written = code?.slice(0, LANGUAGE_CODE_MAX_CHARS);
  try {
    return written ? Intl.getCanonicalLocales(written)[0] : undefined;
  } catch {
    // The code that parses the language reports the error.
    return written;
  }
}

/** The language to pass on: undefined when it is the voice's own, so that a British voice stays British for `en`. */
export function toLanguage(
  code: string | null | undefined,
  voiceName: string | undefined,
  { voices }: Pick<VoiceMapDeps, 'voices'>,
): string | undefined {
  const own = voices.resolve(voiceName ?? '')?.locale ?? DEFAULT_LANGUAGE;
  const tag = toLanguageTag(code);
  return tag === undefined || baseLanguage(tag) === baseLanguage(own) ? undefined : tag;
}
