import type { VoicePauses } from '../voice.ts';

/**
 * Pauses of the English Kokoro voices after a full stop and a comma (24 texts each), for 50 letters since the preceding
 * punctuation (`domain/speech/piece-pause.ts`), measured with the fast decoder (`scripts/measure-voices.mjs pauses`): with them
 * pauses between pieces are as long as those within pieces. bm_fable has noise of 0.3 s around its pieces: its values
 * are not measured, but the shortest possible.
 */
export const KOKORO_PAUSES: Readonly<Record<string, VoicePauses>> = {
  af_alloy: { sentence: 0.43, clause: 0.3 },
  af_aoede: { sentence: 0.37, clause: 0.26 },
  af_bella: { sentence: 0.59, clause: 0.5 },
  af_heart: { sentence: 0.52, clause: 0.43 },
  af_jessica: { sentence: 0.22, clause: 0.12 },
  af_kore: { sentence: 0.3, clause: 0.18 },
  af_nicole: { sentence: 1.24, clause: 1.1 },
  af_nova: { sentence: 0.41, clause: 0.29 },
  af_river: { sentence: 0.36, clause: 0.23 },
  af_sarah: { sentence: 0.58, clause: 0.45 },
  af_sky: { sentence: 0.46, clause: 0.38 },
  am_adam: { sentence: 0.51, clause: 0.42 },
  am_echo: { sentence: 0.41, clause: 0.34 },
  am_eric: { sentence: 0.34, clause: 0.23 },
  am_fenrir: { sentence: 0.33, clause: 0.24 },
  am_liam: { sentence: 0.4, clause: 0.3 },
  am_michael: { sentence: 0.63, clause: 0.54 },
  am_onyx: { sentence: 0.35, clause: 0.2 },
  am_puck: { sentence: 0.26, clause: 0.13 },
  am_santa: { sentence: 0.62, clause: 0.49 },
  bf_alice: { sentence: 0.34, clause: 0.22 },
  bf_emma: { sentence: 0.51, clause: 0.39 },
  bf_isabella: { sentence: 0.49, clause: 0.37 },
  bf_lily: { sentence: 0.26, clause: 0.2 },
  bm_daniel: { sentence: 0.33, clause: 0.28 },
  bm_fable: { sentence: 0.03, clause: 0 },
  bm_george: { sentence: 0.47, clause: 0.41 },
  bm_lewis: { sentence: 0.64, clause: 0.54 },
};
