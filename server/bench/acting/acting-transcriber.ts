import { Resampler } from '../../src/audio/dsp/resampler.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../../src/domain/engines/asr-engine.ts';
import type { WorkerSettings } from '../../src/inference/runtime/process/messages.ts';
import { TranscriptionHost } from '../../src/inference/runtime/transcription/transcription-host.ts';
import { countWordErrors } from '../word-errors.ts';

const ENGINE = 'moonshine-base';

/** Word errors of a transcribed sentence. */
export interface WordErrorCount {
  readonly errors: number;
  readonly words: number;
}

/** Transcribes synthesized speech and counts word errors. */
export class ActingTranscriber {
  readonly #engine: AsrEngine;

  private constructor(engine: AsrEngine) {
    this.#engine = engine;
  }

  static async open(settings: WorkerSettings): Promise<ActingTranscriber> {
    return new ActingTranscriber(await new TranscriptionHost(settings).engine(ENGINE));
  }

  async countErrors(samples: Float32Array, sampleRateHz: number, reference: string): Promise<WordErrorCount> {
    const resampler = new Resampler({ fromHz: sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
    const resampled = joinSamples([resampler.process(samples), resampler.flush()]);
    const { signal } = new AbortController();
    const { text } = await this.#engine.transcribe(resampled, { signal, language: 'en' });
    return countWordErrors(reference, text);
  }
}
