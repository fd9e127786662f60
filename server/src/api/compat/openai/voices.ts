import type { Voice } from '../../../domain/voices/voice.ts';

/** OpenAI's voice names, mapped to built-in voices. */
const PRESETS: Readonly<Record<string, string>> = {
  alloy: 'af_alloy',
  ash: 'am_michael',
  ballad: 'bm_fable',
  cedar: 'am_puck',
  coral: 'af_bella',
  echo: 'am_echo',
  fable: 'bm_fable',
  marin: 'af_heart',
  nova: 'af_nova',
  onyx: 'am_onyx',
  sage: 'af_sarah',
  shimmer: 'af_sky',
  verse: 'am_fenrir',
};

/** The voice of a request by name, id or preset; undefined is the default voice. */
export function toReferenceId(
  voice: string | { readonly id: string } | undefined,
  { hasPresets }: { readonly hasPresets: boolean },
): string | undefined {
  const name = typeof voice === 'object' ? voice.id : (voice ?? '');
  if (name === '' || name === 'default') return undefined;
  return hasPresets && Object.hasOwn(PRESETS, name) ? PRESETS[name] : name;
}

/** A voice in the list format that clients of self-hosted servers read. */
export function toVoiceItem(voice: Voice) {
  return {
    id: voice.name,
    name: voice.title,
    voice_id: voice.id,
    language: voice.locale,
    gender: voice.gender,
  };
}
