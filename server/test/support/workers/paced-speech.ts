import type { Utterance } from '../../../src/domain/engines/tts-engine.ts';
import type { SilenceLimits } from '../../../src/domain/speech/acting/cue-scope.ts';
import { Capacity, type CapacitySettings } from '../../../src/domain/speech/capacity/capacity.ts';
import { EngineSelector } from '../../../src/domain/speech/engine-selector.ts';
import { FailingTexts } from '../../../src/domain/speech/failing-texts.ts';
import { SpeechSynthesizer } from '../../../src/domain/speech/speech-synthesizer.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../../src/domain/speech/speech-workers.ts';
import { listKokoroVoices } from '../../../src/domain/voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue } from '../../../src/domain/voices/catalogue/voice-catalogue.ts';

const SAMPLE_RATE_HZ = 24_000;

/** A worker that speaks one second of noise per word at once, and reports a declared cost. */
export class PacedWorkers implements SpeechWorkers {
  /** Called with each utterance before it is spoken. May throw. */
  onUtterance: (utterance: Utterance, options: SpeakOptions) => void = () => {};
  readonly #workSeconds: number;

  /** `workSeconds` is the reported worker time per second of audio. */
  constructor({ workSeconds }: { readonly workSeconds: number }) {
    this.#workSeconds = workSeconds;
  }

  async *speak(
    _engine: string,
    utterance: Utterance,
    options: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    this.onUtterance(utterance, options);
    options.onFinished?.();
    for (const _ of utterance.words) {
      options.signal.throwIfAborted();
      const samples = Float32Array.from({ length: SAMPLE_RATE_HZ }, () => Math.random() * 0.2 - 0.1);
      yield { samples, sampleRateHz: SAMPLE_RATE_HZ, workSeconds: this.#workSeconds };
    }
  }
}

/** The speech service of the server over other workers. */
export function createPacedSpeech(
  workers: SpeechWorkers,
  capacity: Pick<CapacitySettings, 'waitMs'> & Partial<CapacitySettings>,
  silence: Partial<SilenceLimits> = {},
): SpeechSynthesizer {
  return new SpeechSynthesizer({
    workers,
    voices: createVoiceCatalogue(listKokoroVoices()),
    engines: new EngineSelector({ overrides: {}, bestKokoro: () => 'kokoro-fast', zeroShotEngines: [] }),
    prepareEngine: async () => {},
    capacity: new Capacity({ workers: 1, utilisationMax: 0.85, ...capacity }),
    failingTexts: new FailingTexts({ rememberMs: 60_000 }),
    settings: {
      defaultVoice: 'af_heart',
      queueMax: 1000,
      loudnessLufs: -16,
      liveBufferMaxChars: 10_000,
      cuesMax: 100,
      pieceSilenceMaxSeconds: 60,
      silenceMaxSeconds: 600,
      ssmlDepthMax: 32,
      ssmlBreakMaxSeconds: 10,
      ...silence,
    },
  });
}
