import type { Voice } from '../../../domain/voices/voice.ts';

/** The voices that OpenAI's clients know by heart, and the ones of ours that speak in their place. */
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

/** The voice a request names: one of ours by name or id, a preset where there are some, or the default for none. */
export function toReferenceId(
  voice: string | { readonly id: string } | undefined,
  { hasPresets }: { readonly hasPresets: boolean },
): string | undefined {
  const name = typeof voice === 'object' ? voice.id : (voice ?? '');
  if (name === '' || name === 'default') return undefined;
  return hasPresets && Object.hasOwn(PRESETS, name) ? PRESETS[name] : name;
}

/** A voice as the lists of self-hosted servers show it. */
export function toVoiceItem(voice: Voice) {
  return {
    id: voice.name,
    name: voice.title,
    voice_id: voice.id,
    language: voice.locale,
    gender: voice.gender,
  };
}
