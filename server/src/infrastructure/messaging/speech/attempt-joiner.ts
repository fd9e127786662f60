import type { WordTime } from '../../../domain/engines/tts-engine.ts';
import type { MeasuredSpeechPart } from '../../../domain/speech/speech-workers.ts';

/** Audio that is held back, so that two attempts that are not identical can be crossfaded. */
const CROSSFADE_SECONDS = 0.005;

const NO_SAMPLES = new Float32Array(0);

/**
 * Joins the audio of several attempts of one utterance into one stream without gap or repetition: samples and word times
 * that were delivered are skipped. Equal seeds give equal samples on equal machines, and the joint is exact; on other
 * machines the joint is a crossfade.
 */
export class AttemptJoiner {
  /** Samples delivered, without those held back. */
  #delivered = 0;
  /** Position in the current attempt. */
  #position = 0;
  /** The last samples of the current attempt, not delivered yet. */
  #held = NO_SAMPLES;
  /** The samples that an earlier attempt had held back, and their position. */
  #earlier = NO_SAMPLES;
  #jointAt = 0;
  #sampleRateHz = 0;
  readonly #deliveredWords = new Set<number>();
  #pendingWords: WordTime[] = [];

  get deliveredSamples(): number {
    return this.#delivered;
  }

  /** Another attempt starts the utterance from its beginning. */
  restart(): void {
    this.#position = 0;
    this.#pendingWords = [];
    // Of two attempts that held back samples, the one that had got further.
    if (this.#jointAt !== this.#delivered || this.#held.length > this.#earlier.length) {
      this.#earlier = this.#held;
      this.#jointAt = this.#delivered;
    }
    this.#held = NO_SAMPLES;
  }

  /** The part to deliver for a part of the current attempt; undefined while everything in it was delivered. */
  add(part: MeasuredSpeechPart): MeasuredSpeechPart | undefined {
    this.#sampleRateHz = part.sampleRateHz;
    this.#collectWords(part.wordTimes);
    const skipped = Math.min(part.samples.length, Math.max(0, this.#delivered - this.#position));
    const position = this.#position + skipped;
    this.#position += part.samples.length;
    if (skipped === part.samples.length) return undefined;
    const fresh = this.#crossfade(part.samples.subarray(skipped), position);
    const all = concat(this.#held, fresh);
    const count = Math.max(0, all.length - Math.round(part.sampleRateHz * CROSSFADE_SECONDS));
    this.#held = all.slice(count);
    this.#delivered += count;
    if (count === 0) return undefined;
    const { wordTimes, ...rest } = part;
    const times = wordTimes === undefined && this.#pendingWords.length === 0 ? {} : this.#takeWords();
    return { ...rest, ...times, samples: all.subarray(0, count) };
  }

  /** The samples that were held back; undefined if there are none. */
  end(): MeasuredSpeechPart | undefined {
    // An attempt that ended before the joint leaves the rest of the earlier one.
    const isBeforeJoint = this.#position < this.#jointAt + this.#earlier.length;
    const samples = isBeforeJoint ? this.#earlier.subarray(this.#delivered - this.#jointAt) : this.#held;
    this.#held = NO_SAMPLES;
    this.#earlier = NO_SAMPLES;
    if (samples.length === 0) return undefined;
    this.#delivered += samples.length;
    const times = this.#pendingWords.length === 0 ? {} : this.#takeWords();
    return { samples, sampleRateHz: this.#sampleRateHz, ...times };
  }

  /** Fades from the samples of the earlier attempt to those of the current one. Equal samples stay exactly equal. */
  #crossfade(samples: Float32Array, position: number): Float32Array {
    const earlier = this.#earlier;
    const start = position - this.#jointAt;
    if (start >= earlier.length) return samples;
    const faded = samples.slice();
    for (let index = 0; index < samples.length && start + index < earlier.length; index++) {
      const old = earlier[start + index] ?? 0;
      const weight = (start + index + 1) / (earlier.length + 1);
      faded[index] = old + ((samples[index] ?? 0) - old) * weight;
    }
    return faded;
  }

  #collectWords(wordTimes: readonly WordTime[] | undefined): void {
    for (const word of wordTimes ?? [])
      if (!this.#deliveredWords.has(word.wordIndex)) this.#pendingWords.push(word);
  }

  #takeWords(): { readonly wordTimes: readonly WordTime[] } {
    const wordTimes = this.#pendingWords;
    this.#pendingWords = [];
    for (const { wordIndex } of wordTimes) this.#deliveredWords.add(wordIndex);
    return { wordTimes };
  }
}

function concat(a: Float32Array, b: Float32Array): Float32Array {
  if (a.length === 0) return b;
  const joined = new Float32Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
