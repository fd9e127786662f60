import { Resampler } from '../../src/audio/dsp/resampler.ts';
import { createSilence } from '../../src/audio/dsp/silence.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../../src/domain/engines/asr-engine.ts';
import type { WorkerSettings } from '../../src/inference/runtime/process/messages.ts';
import { TranscriptionHost } from '../../src/inference/runtime/transcription/transcription-host.ts';
import { type CountWordErrors, loadWordCounter } from '../word-errors.ts';

const ENGINE = 'moonshine-base';
/** Silence on both sides, as around the segments of the server. Without it the engine invents words at the start. */
const PADDING_SECONDS = 0.5;

/** Word errors of a transcribed sentence. */
export interface WordErrorCount {
  readonly errors: number;
  readonly words: number;
}

/** Transcribes synthesized speech and counts word errors. */
export class ActingTranscriber {
  readonly #engine: AsrEngine;
  readonly #countWordErrors: CountWordErrors;

  private constructor(engine: AsrEngine, countWordErrors: CountWordErrors) {
    this.#engine = engine;
    this.#countWordErrors = countWordErrors;
  }

  /** `normalizer` is the path of a module that splits a text into words; undefined is the default. */
  static async open(settings: WorkerSettings, normalizer: string | undefined): Promise<ActingTranscriber> {
    const engine = await new TranscriptionHost(settings).engine(ENGINE);
    return new ActingTranscriber(engine, await loadWordCounter(normalizer));
  }

  async countErrors(samples: Float32Array, sampleRateHz: number, reference: string): Promise<WordErrorCount> {
    const resampler = new Resampler({ fromHz: sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
    const silence = createSilence(PADDING_SECONDS, ASR_SAMPLE_RATE_HZ);
    const padded = joinSamples([silence, resampler.process(samples), resampler.flush(), silence]);
    const { signal } = new AbortController();
    const { text } = await this.#engine.transcribe(padded, { signal, language: 'en' });
    return this.#countWordErrors(reference, text);
  }
}
