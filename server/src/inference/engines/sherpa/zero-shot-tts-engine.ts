import type { GenerationOptions } from 'sherpa-onnx-node';
import type {
  ReferenceRecording,
  SpeechPart,
  TtsEngine,
  Utterance,
} from '../../../domain/engines/tts-engine.ts';
import { requireReference } from './require-reference.ts';
import type { SherpaTts } from './sherpa-tts.ts';

/** What distinguishes one zero-shot model from another. */
export interface ZeroShotModel {
  readonly name: string;
  /** Whether audio is emitted during generation; otherwise once per sentence. */
  readonly streamsAudio: boolean;
  /** Options for the runtime. */
  generationOptions(
    recording: ReferenceRecording & { readonly sampleRateHz: number },
    utterance: Utterance,
  ): Omit<GenerationOptions, 'referenceSampleRate'>;
}

/** A zero-shot engine: it imitates a reference recording. It has no built-in voices and returns no word times. */
export class ZeroShotTtsEngine implements TtsEngine {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly capabilities: TtsEngine['capabilities'];
  readonly languages = ['en-US'] as const;
  readonly voices = [];
  readonly #model: ZeroShotModel;
  readonly #tts: Pick<SherpaTts, 'speak' | 'sampleRateHz'>;

  constructor(model: ZeroShotModel, tts: Pick<SherpaTts, 'speak' | 'sampleRateHz'>) {
    this.name = model.name;
    this.sampleRateHz = tts.sampleRateHz;
    this.capabilities = {
      speakerVectors: false,
      wordTimes: false,
      pitchAndEnergy: false,
      windowedDecoding: model.streamsAudio,
    };
    this.#model = model;
    this.#tts = tts;
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpeechPart> {
    const { sampleRateHz } = this;
    const recording = requireReference(utterance.voice, sampleRateHz);
    const options = this.#model.generationOptions({ ...recording, sampleRateHz }, utterance);
    yield* this.#tts.speak(utterance.words, options, signal);
  }

  async close(): Promise<void> {
    // The runtime frees a model when its object is garbage collected.
  }
}
