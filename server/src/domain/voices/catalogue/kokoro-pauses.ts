import type { VoicePauses } from '../voice.ts';

/**
 * Pauses of the English Kokoro voices, measured with the fast decoder within utterances (`scripts/measure-voices.mjs pauses`): time
 * below -35 dB, relative to the loudest step, after a full stop (8 texts) and a comma (6 texts), for 50 letters since the
 * preceding punctuation (`domain/speech/piece-pause.ts`). Commas vary more between texts than between voices, so half of their value is the mean
 * ratio to the full stop (0.72). At least 0.2 and 0.1 s: some voices are noisy in their pauses.
 */
export const KOKORO_PAUSES: Readonly<Record<string, VoicePauses>> = {
  af_alloy: { sentence: 0.42, clause: 0.29 },
  af_aoede: { sentence: 0.36, clause: 0.25 },
  af_bella: { sentence: 0.54, clause: 0.43 },
  af_heart: { sentence: 0.48, clause: 0.38 },
  af_jessica: { sentence: 0.23, clause: 0.11 },
  af_kore: { sentence: 0.26, clause: 0.17 },
  af_nicole: { sentence: 1.11, clause: 0.87 },
  af_nova: { sentence: 0.38, clause: 0.27 },
  af_river: { sentence: 0.31, clause: 0.22 },
  af_sarah: { sentence: 0.55, clause: 0.42 },
  af_sky: { sentence: 0.4, clause: 0.32 },
  am_adam: { sentence: 0.47, clause: 0.36 },
  am_echo: { sentence: 0.34, clause: 0.27 },
  am_eric: { sentence: 0.33, clause: 0.23 },
  am_fenrir: { sentence: 0.29, clause: 0.21 },
  am_liam: { sentence: 0.36, clause: 0.27 },
  am_michael: { sentence: 0.55, clause: 0.42 },
  am_onyx: { sentence: 0.32, clause: 0.22 },
  am_puck: { sentence: 0.24, clause: 0.14 },
  am_santa: { sentence: 0.54, clause: 0.41 },
  bf_alice: { sentence: 0.24, clause: 0.16 },
  bf_emma: { sentence: 0.5, clause: 0.37 },
  bf_isabella: { sentence: 0.48, clause: 0.36 },
  bf_lily: { sentence: 0.27, clause: 0.2 },
  bm_daniel: { sentence: 0.3, clause: 0.24 },
  bm_fable: { sentence: 0.2, clause: 0.1 },
  bm_george: { sentence: 0.43, clause: 0.35 },
  bm_lewis: { sentence: 0.54, clause: 0.42 },
};
