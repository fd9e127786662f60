import { setTimeout as delay } from 'node:timers/promises';
import type { Utterance } from '../../src/domain/engines/tts-engine.ts';
import type {
  MeasuredSpeechPart,
  SpeakOptions,
  SpeechWorkers,
} from '../../src/domain/speech/speech-workers.ts';

const RATE_HZ = 24_000;
const WINDOW_SAMPLES = 960;

/** Speech workers that render an utterance as a sine: 40 ms per word, one window per word, from the seed. */
export class SineWorkers implements SpeechWorkers {
  readonly #windowMs: number;
  active = 0;
  started = 0;
  windows = 0;

  constructor({ windowMs }: { readonly windowMs: number }) {
    this.#windowMs = windowMs;
  }

  async *speak(
    _engine: string,
    utterance: Utterance,
    { signal }: SpeakOptions,
  ): AsyncGenerator<MeasuredSpeechPart> {
    this.active += 1;
    this.started += 1;
    try {
      for (const index of utterance.words.keys()) {
        await delay(this.#windowMs, undefined, { signal });
        this.windows += 1;
        const seconds = WINDOW_SAMPLES / RATE_HZ;
        yield {
          samples: sineWindow(utterance.seed, index),
          sampleRateHz: RATE_HZ,
          workSeconds: this.#windowMs / 1000,
          wordTimes: [{ wordIndex: index, startSeconds: index * seconds, endSeconds: (index + 1) * seconds }],
        };
      }
    } finally {
      this.active -= 1;
    }
  }
}

/** The samples of a whole utterance. */
export function sineOf({ words, seed }: Pick<Utterance, 'words' | 'seed'>): Float32Array {
  return joinSamples(words.map((_, index) => sineWindow(seed, index)));
}

export function joinSamples(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

function sineWindow(seed: number, index: number): Float32Array {
  return Float32Array.from({ length: WINDOW_SAMPLES }, (_, sample) =>
    Math.sin(((index * WINDOW_SAMPLES + sample) * (100 + (seed % 50))) / RATE_HZ),
  );
}

/** An utterance of this many words. */
export function sineUtterance(wordCount: number, seed: number): Utterance {
  const words = Array.from({ length: wordCount }, (_, index) => ({
    text: `word${index}`,
    start: 0,
    end: 0,
    before: '',
    after: '',
  }));
  return { words, language: 'en-US', voice: { kind: 'named', name: `voice-${seed}` }, speed: 1, seed };
}
