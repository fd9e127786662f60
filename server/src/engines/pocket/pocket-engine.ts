import type { SpeechPart, TtsEngine, Utterance } from '../engine.ts';
import { requireRecording } from '../sherpa/require-recording.ts';
import type { SherpaSpeech } from '../sherpa/sherpa-speech.ts';
import { POCKET } from './pocket-files.ts';

/** Steps of the flow for each frame, as its authors use it. */
const FLOW_STEPS = 5;
/** More of a recording than this tells the model nothing new. */
const REFERENCE_SECONDS_MAX = 12;

/**
 * Pocket TTS in sherpa-onnx: speaks like a recording that it hears first. It has no voices of its own, gives no
 * word times, and knows one pace only.
 */
export class PocketEngine implements TtsEngine {
  readonly name = POCKET;
  readonly sampleRateHz: number;
  readonly capabilities = {
    voiceAsVector: false,
    durations: false,
    pitchAndEnergy: false,
    windowedDecoding: true,
  } as const;
  readonly languages = ['en-US'] as const;
  readonly voices = [];
  readonly #speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>;

  constructor(speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>) {
    this.#speech = speech;
    this.sampleRateHz = speech.sampleRateHz;
  }

  async *speak({ words, voice }: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { samples } = requireRecording(voice, this.sampleRateHz);
    const wishes = {
      speed: 1,
      referenceAudio: samples.subarray(0, REFERENCE_SECONDS_MAX * this.sampleRateHz),
      numSteps: FLOW_STEPS,
      extra: { max_reference_audio_len: REFERENCE_SECONDS_MAX },
    };
    yield* this.#speech.speak(words, wishes, signal);
  }

  async close(): Promise<void> {
    // The runtime frees a model when its object is collected.
  }
}
