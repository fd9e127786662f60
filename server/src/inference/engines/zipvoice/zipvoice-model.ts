import { ApiError } from '../../../errors.ts';
import type { ZeroShotModel } from '../sherpa/zero-shot-tts-engine.ts';
import { ZIPVOICE } from './zipvoice-files.ts';

/** Flow steps of the distilled model, the default of its authors. */
const FLOW_STEPS = 4;

/** ZipVoice in sherpa-onnx, which also needs the transcript of the reference. */
export const ZIPVOICE_MODEL: ZeroShotModel = {
  name: ZIPVOICE,
  streamsAudio: false,
  generationOptions({ samples, text }, { speed }) {
    if (text.trim() === '') {
      throw new ApiError('voice_not_found', 'ZipVoice needs the transcript of the reference recording.');
    }
    return { speed, referenceAudio: samples, referenceText: text, numSteps: FLOW_STEPS };
  },
};
