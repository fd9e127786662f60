import type { Utterance } from '../engines/tts-engine.ts';
import type { UtteranceGate } from './capacity/utterance-gate.ts';
import type { MeasuredSpeechPart, SpeakOptions, SpeechWorkers } from './speech-workers.ts';

/** Worker processes that receive an utterance when the gate lets it pass. */
export class GatedWorkers implements SpeechWorkers {
  readonly #workers: SpeechWorkers;
  readonly #gate: UtteranceGate;

  constructor(workers: SpeechWorkers, gate: UtteranceGate) {
    this.#workers = workers;
    this.#gate = gate;
  }

  async *speak(
    engine: string,
    utterance: Utterance,
    options: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    const end = await this.#gate.enter(options, options.signal);
    const onFinished = () => {
      end();
      options.onFinished?.();
    };
    try {
      for await (const part of this.#workers.speak(engine, utterance, { ...options, onFinished })) {
        if (options.isFirstAudio) end();
        yield part;
      }
    } finally {
      end();
    }
  }
}
