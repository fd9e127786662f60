import type { VoicePauses } from '../voice.ts';

/**
 * Pauses of the English Kokoro voices, measured with the fast decoder within utterances: time below -35 dB, relative to the
 * loudest step, after a full stop (8 texts) and a comma (6 texts), for 50 letters since the preceding punctuation
 * (`domain/speech/piece-pause.ts`). Commas vary more between texts than between voices, so half of their value is the mean
 * ratio to the full stop (0.72). At least 0.2 and 0.1 s: some voices are noisy in their pauses.
 */
export const KOKORO_PAUSES: Readonly<Record<string, VoicePauses>> = {
  af_alloy: { sentence: 0.4, clause: 0.27 },
  af_aoede: { sentence: 0.34, clause: 0.23 },
  af_bella: { sentence: 0.55, clause: 0.43 },
  af_heart: { sentence: 0.47, clause: 0.36 },
  af_jessica: { sentence: 0.2, clause: 0.1 },
  af_kore: { sentence: 0.25, clause: 0.17 },
  af_nicole: { sentence: 1.49, clause: 1.17 },
  af_nova: { sentence: 0.35, clause: 0.23 },
  af_river: { sentence: 0.31, clause: 0.18 },
  af_sarah: { sentence: 0.56, clause: 0.42 },
  af_sky: { sentence: 0.42, clause: 0.31 },
  am_adam: { sentence: 0.45, clause: 0.33 },
  am_echo: { sentence: 0.34, clause: 0.25 },
  am_eric: { sentence: 0.28, clause: 0.14 },
  am_fenrir: { sentence: 0.28, clause: 0.21 },
  am_liam: { sentence: 0.35, clause: 0.21 },
  am_michael: { sentence: 0.56, clause: 0.43 },
  am_onyx: { sentence: 0.29, clause: 0.19 },
  am_puck: { sentence: 0.21, clause: 0.13 },
  am_santa: { sentence: 0.6, clause: 0.46 },
  bf_alice: { sentence: 0.2, clause: 0.13 },
  bf_emma: { sentence: 0.48, clause: 0.31 },
  bf_isabella: { sentence: 0.48, clause: 0.32 },
  bf_lily: { sentence: 0.23, clause: 0.15 },
  bm_daniel: { sentence: 0.29, clause: 0.22 },
  bm_fable: { sentence: 0.2, clause: 0.1 },
  bm_george: { sentence: 0.45, clause: 0.38 },
  bm_lewis: { sentence: 0.61, clause: 0.47 },
};
