import type { VoicePauses } from '../voice.ts';

/**
 * Pauses of the English Kokoro voices after a full stop (106 texts) and a comma (128 texts), for 50 letters since the preceding
 * punctuation (`domain/speech/piece-pause.ts`), measured with the fast decoder (`scripts/measure-voices.mjs pauses`): with them
 * pauses between pieces are as long as those within pieces. The noise after the pieces of some voices is longer than their
 * pauses: bm_fable has the shortest possible ones, and the commas of am_puck and am_onyx are reduced by hand.
 */
export const KOKORO_PAUSES: Readonly<Record<string, VoicePauses>> = {
  af_alloy: { sentence: 0.43, clause: 0.295 },
  af_aoede: { sentence: 0.38, clause: 0.26 },
  af_bella: { sentence: 0.59, clause: 0.5 },
  af_heart: { sentence: 0.52, clause: 0.42 },
  af_jessica: { sentence: 0.241, clause: 0.13 },
  af_kore: { sentence: 0.289, clause: 0.19 },
  af_nicole: { sentence: 1.17, clause: 1.03 },
  af_nova: { sentence: 0.42, clause: 0.283 },
  af_river: { sentence: 0.35, clause: 0.232 },
  af_sarah: { sentence: 0.58, clause: 0.45 },
  af_sky: { sentence: 0.45, clause: 0.37 },
  am_adam: { sentence: 0.51, clause: 0.42 },
  am_echo: { sentence: 0.41, clause: 0.35 },
  am_eric: { sentence: 0.35, clause: 0.229 },
  am_fenrir: { sentence: 0.33, clause: 0.242 },
  am_liam: { sentence: 0.4, clause: 0.298 },
  am_michael: { sentence: 0.61, clause: 0.53 },
  am_onyx: { sentence: 0.38, clause: 0.19 },
  am_puck: { sentence: 0.276, clause: 0.085 },
  am_santa: { sentence: 0.59, clause: 0.49 },
  bf_alice: { sentence: 0.34, clause: 0.235 },
  bf_emma: { sentence: 0.51, clause: 0.38 },
  bf_isabella: { sentence: 0.49, clause: 0.37 },
  bf_lily: { sentence: 0.29, clause: 0.208 },
  bm_daniel: { sentence: 0.34, clause: 0.283 },
  bm_fable: { sentence: 0.03, clause: 0 },
  bm_george: { sentence: 0.47, clause: 0.41 },
  bm_lewis: { sentence: 0.63, clause: 0.54 },
};
