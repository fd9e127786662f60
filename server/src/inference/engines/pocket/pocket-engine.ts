import type { RecordingEngineKind } from '../sherpa/recording-engine.ts';
import { POCKET } from './pocket-files.ts';

/** Steps of the flow for each frame, as its authors use it. */
const FLOW_STEPS = 5;
/** More of a recording than this tells the model nothing new. */
const REFERENCE_SECONDS_MAX = 12;

/** Pocket TTS in sherpa-onnx, which knows one pace only. */
export const POCKET_ENGINE: RecordingEngineKind = {
  name: POCKET,
  isHeardEarly: true,
  wishes: ({ samples, sampleRateHz }) => ({
    speed: 1,
    referenceAudio: samples.subarray(0, REFERENCE_SECONDS_MAX * sampleRateHz),
    numSteps: FLOW_STEPS,
    extra: { max_reference_audio_len: REFERENCE_SECONDS_MAX },
  }),
};
