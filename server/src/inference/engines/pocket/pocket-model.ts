import type { ZeroShotModel } from '../sherpa/zero-shot-tts-engine.ts';
import { POCKET } from './pocket-files.ts';

/** Flow steps per frame, the default of its authors. */
const FLOW_STEPS = 5;
/** A longer reference does not improve the result. */
const REFERENCE_SECONDS_MAX = 12;

/** Pocket TTS in sherpa-onnx, which has a fixed speaking rate. */
export const POCKET_MODEL: ZeroShotModel = {
  name: POCKET,
  streamsAudio: true,
  generationOptions: ({ samples, sampleRateHz }) => ({
    speed: 1,
    referenceAudio: samples.subarray(0, REFERENCE_SECONDS_MAX * sampleRateHz),
    numSteps: FLOW_STEPS,
    extra: { max_reference_audio_len: REFERENCE_SECONDS_MAX },
  }),
};
