import { ApiError } from '../../errors.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../engine.ts';
import { requireRecording } from '../sherpa/require-recording.ts';
import type { SherpaSpeech } from '../sherpa/sherpa-speech.ts';
import { ZIPVOICE } from './zipvoice-files.ts';

/** Steps of the distilled model's flow, as its authors use it. */
const FLOW_STEPS = 4;

/**
 * ZipVoice in sherpa-onnx: speaks like a recording of which it also knows the words. It has no voices of its own
 * and gives no word times; a sentence is heard when it is whole.
 */
export class ZipVoiceEngine implements TtsEngine {
  readonly name = ZIPVOICE;
  readonly sampleRateHz: number;
  readonly capabilities = {
    voiceAsVector: false,
    durations: false,
    pitchAndEnergy: false,
    windowedDecoding: false,
  } as const;
  readonly languages = ['en-US'] as const;
  readonly voices = [];
  readonly #speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>;

  constructor(speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>) {
    this.#speech = speech;
    this.sampleRateHz = speech.sampleRateHz;
  }

  async *speak({ words, voice, speed }: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { samples, text } = requireRecording(voice, this.sampleRateHz);
    if (text.trim() === '') {
      throw new ApiError('voice_not_found', 'ZipVoice has to know what is said in the recording.');
    }
    const wishes = { speed, referenceAudio: samples, referenceText: text, numSteps: FLOW_STEPS };
    yield* this.#speech.speak(words, wishes, signal);
  }

  async close(): Promise<void> {
    // The runtime frees a model when its object is collected.
  }
}
