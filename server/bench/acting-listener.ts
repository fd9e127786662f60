import { Resampler } from '../src/audio/dsp/resampler.ts';
import { joinSamples } from '../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ, type AsrEngine } from '../src/domain/engines/asr-engine.ts';
import type { WorkerSettings } from '../src/inference/runtime/process/messages.ts';
import { TranscriptionHost } from '../src/inference/runtime/transcription/transcription-host.ts';
import { countWordErrors } from './word-errors.ts';

const ENGINE = 'moonshine-base';

/** Words of a sentence that were not heard as they were said. */
export interface Misheard {
  readonly errors: number;
  readonly words: number;
}

/** Writes down what was spoken with our own recogniser, and counts what it mishears. */
export class ActingListener {
  readonly #engine: AsrEngine;

  private constructor(engine: AsrEngine) {
    this.#engine = engine;
  }

  static async open(settings: WorkerSettings): Promise<ActingListener> {
    return new ActingListener(await new TranscriptionHost(settings).engine(ENGINE));
  }

  async mishears(samples: Float32Array, sampleRateHz: number, said: string): Promise<Misheard> {
    const resampler = new Resampler({ fromHz: sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
    const heard = joinSamples([resampler.process(samples), resampler.flush()]);
    const { signal } = new AbortController();
    const { text } = await this.#engine.transcribe(heard, { signal, language: 'en' });
    return countWordErrors(said, text);
  }
}
