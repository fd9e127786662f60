import type { GenerationOptions } from 'sherpa-onnx-node';
import type {
  ReferenceRecording,
  SpeechPart,
  TtsEngine,
  Utterance,
} from '../../../domain/engines/tts-engine.ts';
import { requireRecording } from './require-recording.ts';
import type { SherpaSpeech } from './sherpa-speech.ts';

/** What sets one such engine apart from another. */
export interface RecordingEngineKind {
  readonly name: string;
  /** Whether sound comes as it is made; else a sentence is heard when it is whole. */
  readonly isHeardEarly: boolean;
  /** What the runtime is asked for. */
  wishes(
    recording: ReferenceRecording & { readonly sampleRateHz: number },
    utterance: Utterance,
  ): Omit<GenerationOptions, 'referenceSampleRate'>;
}

/** An engine that speaks like a recording which it hears first. It has no voices of its own and gives no word times. */
export class RecordingEngine implements TtsEngine {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly capabilities: TtsEngine['capabilities'];
  readonly languages = ['en-US'] as const;
  readonly voices = [];
  readonly #kind: RecordingEngineKind;
  readonly #speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>;

  constructor(kind: RecordingEngineKind, speech: Pick<SherpaSpeech, 'speak' | 'sampleRateHz'>) {
    this.name = kind.name;
    this.sampleRateHz = speech.sampleRateHz;
    this.capabilities = {
      voiceAsVector: false,
      durations: false,
      pitchAndEnergy: false,
      windowedDecoding: kind.isHeardEarly,
    };
    this.#kind = kind;
    this.#speech = speech;
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { sampleRateHz } = this;
    const recording = requireRecording(utterance.voice, sampleRateHz);
    const wishes = this.#kind.wishes({ ...recording, sampleRateHz }, utterance);
    yield* this.#speech.speak(utterance.words, wishes, signal);
  }

  async close(): Promise<void> {
    // The runtime frees a model when its object is collected.
  }
}
