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
    const failing = this.#failing;
    const key = () => keyOf(options.accountId, engine, utterance);
    if (!failing.isEmpty) failing.assertAllowed(key());
    const attempt = failing.startAttempt();
    try {
      yield* this.#workers.speak(engine, utterance, options);
      if (!failing.isEmpty) failing.clear(key());
    } catch (error) {
      if (error instanceof WorkerLostError && error.isSuspect) failing.recordLoss(key(), attempt, error);
      throw error;
    }
  }
}

/** The key of an utterance, without offsets, which depend on the text before it. */
function keyOf(accountId: string, engine: string, { words, language }: Utterance): string {
  const spoken = words.map(({ start: _start, end: _end, ...word }) => word);
  return FailingTexts.keyOf(accountId, engine, language, spoken);
}
