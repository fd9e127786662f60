import { z } from 'zod';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import type { VoiceCatalogue } from '../../../domain/voices/catalogue/voice-catalogue.ts';

const DEFAULT_VOICES = new Set(['', '-', 'default']);
const DEFAULT_LANGUAGE = 'en-US';

/** How a voice is to speak. What is not here changes nothing: `similarity_boost`, `style`, `use_speaker_boost`. */
export const VoiceSettingsSchema = z.object({
  stability: z.number().min(0).max(1).nullish(),
  speed: z.number().min(0.5, 'speed must be in [0.5, 2.0]').max(2, 'speed must be in [0.5, 2.0]').nullish(),
});

/** The native fields that the settings mean: an unstable voice is one with more variety. */
export function toVoiceFields(settings: z.output<typeof VoiceSettingsSchema> | null | undefined) {
  return {
    prosody: { speed: settings?.speed ?? 1 },
    ...(settings?.stability != null && { temperature: 1 - settings.stability }),
  };
}

/** The voice a path names; undefined is the default voice. */
export function toVoiceName(voiceId: string): string | undefined {
  return DEFAULT_VOICES.has(voiceId) ? undefined : voiceId;
}

/** A language as we know them: ElevenLabs' clients also send codes of three letters, `eng` for `en`. */
export function toLanguageTag(code: string | null | undefined): string | undefined {
  try {
    return code ? Intl.getCanonicalLocales(code)[0] : undefined;
  } catch {
    // Whoever reads it says what is wrong.
    return code ?? undefined;
  }
}

/** The language to speak in, where it is another than the voice's own; a British voice stays British for `en`. */
export function toLanguage(
  code: string | null | undefined,
  voiceId: string,
  voices: VoiceCatalogue,
): string | undefined {
  const own = voices.resolve(voiceId)?.locale ?? DEFAULT_LANGUAGE;
  const tag = toLanguageTag(code);
  return tag === undefined || baseLanguage(tag) === baseLanguage(own) ? undefined : tag;
}
