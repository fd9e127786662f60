import { ApiError } from '../../../errors.ts';
import type { RecordingEngineKind } from '../sherpa/recording-engine.ts';
import { ZIPVOICE } from './zipvoice-files.ts';

/** Steps of the distilled model's flow, as its authors use it. */
const FLOW_STEPS = 4;

/** ZipVoice in sherpa-onnx, which also has to know the words of the recording. */
export const ZIPVOICE_ENGINE: RecordingEngineKind = {
  name: ZIPVOICE,
  isHeardEarly: false,
  wishes({ samples, text }, { speed }) {
    if (text.trim() === '') {
      throw new ApiError('voice_not_found', 'ZipVoice has to know what is said in the recording.');
    }
    return { speed, referenceAudio: samples, referenceText: text, numSteps: FLOW_STEPS };
  },
};
