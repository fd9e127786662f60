import type { Utterance } from '../engines/tts-engine.ts';
import { WorkerLostError } from '../engines/worker-lost-error.ts';
import { FailingTexts } from './failing-texts.ts';
import type { MeasuredSpeechPart, SpeakOptions, SpeechWorkers } from './speech-workers.ts';

/** Worker processes that refuse utterances on which a worker was lost repeatedly. */
export class GuardedWorkers implements SpeechWorkers {
  readonly #workers: SpeechWorkers;
  readonly #failing: FailingTexts;

  constructor(workers: SpeechWorkers, failing: FailingTexts) {
    this.#workers = workers;
    this.#failing = failing;
  }

  async *speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    // Without offsets, which depend on the text before the utterance.
    const words = utterance.words.map(({ start: _start, end: _end, ...word }) => word);
    const key = FailingTexts.keyOf(options.accountId, engine, utterance.language, words);
    this.#failing.assertAllowed(key);
    try {
      yield* this.#workers.speak(engine, utterance, options);
      this.#failing.clear(key);
    } catch (error) {
      if (error instanceof WorkerLostError && error.isSuspect) this.#failing.recordLoss(key, error);
      throw error;
    }
  }
}
