import type { Language } from '../../../text/piece.ts';
import { type Voice, voiceId } from '../voice.ts';
import { KOKORO_LOUDNESS_LUFS } from './kokoro-loudness.ts';
import { KOKORO_PAUSES } from './kokoro-pauses.ts';

/** Publication date of Kokoro-82M v1.0. */
const PUBLISHED_AT_MS = Date.UTC(2025, 0, 27);

/** Language by the first letter of the name of a voice. */
const ACCENTS: Readonly<Record<string, { language: Language; title: string }>> = {
  a: { language: 'en-US', title: 'American English' },
  b: { language: 'en-GB', title: 'British English' },
  e: { language: 'es', title: 'Spanish' },
  f: { language: 'fr', title: 'French' },
  h: { language: 'hi', title: 'Hindi' },
  i: { language: 'it', title: 'Italian' },
  j: { language: 'ja', title: 'Japanese' },
  p: { language: 'pt-BR', title: 'Brazilian Portuguese' },
  z: { language: 'zh', title: 'Mandarin Chinese' },
};

/** In the order of lists: the default voice first, then by language and gender. */
const NAMES = `
  af_heart af_alloy af_aoede af_bella af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky
  am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa
  bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis
  ef_dora em_alex em_santa
  ff_siwis
  hf_alpha hf_beta hm_omega hm_psi
  if_sara im_nicola
  jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo
  pf_dora pm_alex pm_santa
  zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang`
  .trim()
  .split(/\s+/);

/** The 54 voices of Kokoro-82M v1.0. */
export function listKokoroVoices(): readonly Voice[] {
  return NAMES.map((name) => {
    const accent = ACCENTS[name.charAt(0)];
    if (accent === undefined) throw new Error(`Unknown accent of Kokoro voice ${name}.`);
    const pauses = KOKORO_PAUSES[name];
    const gender = name.charAt(1) === 'f' ? 'female' : 'male';
    return {
      id: voiceId('kokoro', name),
      name,
      title: name.charAt(3).toUpperCase() + name.slice(4),
      description: `${accent.title}, ${gender}. A voice of Kokoro-82M.`,
      engine: 'kokoro',
      engineVoice: name,
      language: accent.language,
      locale: accent.language,
      gender,
      loudnessLufs: KOKORO_LOUDNESS_LUFS[name]!,
      ...(pauses && { pauses }),
      tags: [gender, accent.title.toLowerCase(), 'kokoro'],
      isListed: true,
      createdAtMs: PUBLISHED_AT_MS,
    };
  });
}
