import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { medianPitchHz } from '../../audio/dsp/pitch-track.ts';
import type { DirectedRange } from '../speech/acting/directed-range.ts';
import type { TimedWord } from '../speech/timing/timing.ts';
import { medianOf, planWords, type SpokenWordMeasure } from './plan-words.ts';
import type { SourcePhrase } from './source-phrases.ts';

/** Synthesized speech with the times of its words from its start. */
export interface SpokenPhrase {
  readonly samples: Float32Array;
  readonly words: readonly Pick<TimedWord, 'startSeconds' | 'endSeconds' | 'charStart' | 'charEnd'>[];
}

export type SpeakPhrase = (
  text: string,
  options: { readonly speed: number; readonly directions: readonly DirectedRange[] },
) => Promise<SpokenPhrase>;

/** Number of last words whose pitch gives the median of the new voice. */
const MEDIAN_WORDS = 200;

/**
 * Speaks the phrases of a recording with the timing and the melody of its words: a phrase is synthesized without
 * directions, its words are measured, and it is synthesized again with the differences.
 */
export class PhraseSpeaker {
  readonly #speak: SpeakPhrase;
  readonly #sampleRateHz: number;
  readonly #sourceHz: number | undefined;
  #spokenPitches: (number | undefined)[] = [];
  /** Directions of the phrase that is being fitted. */
  #planned: { readonly phrase: SourcePhrase; readonly directions: readonly DirectedRange[] } | undefined;

  constructor(
    phrases: readonly SourcePhrase[],
    options: {
      readonly speak: SpeakPhrase;
      readonly sampleRateHz: number;
      /** Whether the pitch of the recording is imitated. */
      readonly keepsPitch: boolean;
    },
  ) {
    this.#speak = options.speak;
    this.#sampleRateHz = options.sampleRateHz;
    const pitches = phrases.flatMap(({ words }) => words.map(({ pitchHz }) => pitchHz));
    this.#sourceHz = options.keepsPitch ? medianOf(pitches) : undefined;
  }

  /** The samples of a phrase. Called again, with a higher speed, for a phrase that does not fit. */
  async speak(phrase: SourcePhrase, speed: number): Promise<Float32Array> {
    if (this.#planned?.phrase !== phrase) {
      this.#planned = { phrase, directions: await this.#plan(phrase) };
    }
    const { samples } = await this.#speak(phrase.text, { speed, directions: this.#planned.directions });
    return samples;
  }

  async #plan(phrase: SourcePhrase): Promise<readonly DirectedRange[]> {
    const neutral = await this.#speak(phrase.text, { speed: 1, directions: [] });
    const measures = await this.#measure(neutral);
    this.#spokenPitches = [...this.#spokenPitches, ...measures.map(({ pitchHz }) => pitchHz)].slice(
      -MEDIAN_WORDS,
    );
    return planWords(phrase, measures, {
      sourceHz: this.#sourceHz,
      spokenHz: medianOf(this.#spokenPitches),
    });
  }

  async #measure({ samples, words }: SpokenPhrase): Promise<SpokenWordMeasure[]> {
    const measures: SpokenWordMeasure[] = [];
    const at = (seconds: number) => Math.round(seconds * this.#sampleRateHz);
    for (const { startSeconds, endSeconds, charStart: start, charEnd: end } of words) {
      const audio = samples.subarray(at(startSeconds), at(endSeconds));
      const pitchHz = this.#sourceHz === undefined ? undefined : medianPitchHz(audio, this.#sampleRateHz);
      measures.push({ start, end, seconds: endSeconds - startSeconds, pitchHz });
      await yieldToEventLoop();
    }
    return measures;
  }
}
