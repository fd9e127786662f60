import { z } from 'zod';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import type { VoiceCatalogue } from '../../../domain/voices/catalogue/voice-catalogue.ts';

const DEFAULT_VOICES = new Set(['', '-', 'default']);
const DEFAULT_LANGUAGE = 'en-US';

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

/** The voice named in a path; undefined is the default voice. */
export function toVoiceName(voiceId: string): string | undefined {
  return DEFAULT_VOICES.has(voiceId) ? undefined : voiceId;
}

/** Converts a language code to a BCP 47 tag. ElevenLabs' clients also send ISO 639-3 codes, `eng` for `en`. */
export function toLanguageTag(code: string | null | undefined): string | undefined {
  try {
    return code ? Intl.getCanonicalLocales(code)[0] : undefined;
  } catch {
    // The code that parses the language reports the error.
    return code ?? undefined;
  }
}

/** The language to pass on: undefined when it is the voice's own, so that a British voice stays British for `en`. */
export function toLanguage(
  code: string | null | undefined,
  voiceId: string,
  voices: VoiceCatalogue,
): string | undefined {
  const own = voices.resolve(voiceId)?.locale ?? DEFAULT_LANGUAGE;
  const tag = toLanguageTag(code);
  return tag === undefined || baseLanguage(tag) === baseLanguage(own) ? undefined : tag;
}
