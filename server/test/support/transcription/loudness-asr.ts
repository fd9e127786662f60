import type {
  AsrEngine,
  AsrOptions,
  AsrResult,
  AsrWord,
  LanguageProbability,
  SpeakerEmbedder,
  VadModel,
} from '../../../src/domain/engines/asr-engine.ts';
import { ASR_SAMPLE_RATE_HZ, VAD_FRAME_SAMPLES } from '../../../src/domain/engines/asr-engine.ts';
import type { AsrInput, AsrTaskContext } from '../../../src/domain/transcription/pipeline/asr-task.ts';

/** Voice activity detection by level: every loud frame is speech. */
export const LOUDNESS_VAD: VadModel = {
  open() {
    let rest = new Float32Array(0);
    const probabilityOf = (frame: Float32Array) =>
      frame.some((sample) => Math.abs(sample) > 0.01) ? 0.95 : 0.02;
    return {
      async push(samples) {
        const all = Float32Array.of(...rest, ...samples);
        const frames = Math.floor(all.length / VAD_FRAME_SAMPLES);
        rest = all.slice(frames * VAD_FRAME_SAMPLES);
        return Float32Array.from({ length: frames }, (_, index) =>
          probabilityOf(all.subarray(index * VAD_FRAME_SAMPLES, (index + 1) * VAD_FRAME_SAMPLES)),
        );
      },
      async flush() {
        const last = rest;
        rest = new Float32Array(0);
        return last.length === 0 ? last : Float32Array.of(probabilityOf(last));
      },
    };
  },
  close: async () => {},
};

function embedLevel(samples: Float32Array): number[] {
  const loudest = samples.reduce((max, sample) => Math.max(max, sample), 0);
  return Array.from({ length: 11 }, (_, index) => (Math.round(loudest * 10) === index ? 1 : 0));
}

/** Speaker embedding by level: each level in steps of 0.1 is a speaker. */
const LOUDNESS_EMBEDDER: SpeakerEmbedder = {
  embed: async (samples) => embedLevel(samples),
  openPhrase: async (samples) => ({
    embed: async (ranges) =>
      ranges.map(({ startSeconds, endSeconds }) =>
        embedLevel(samples.subarray(startSeconds * ASR_SAMPLE_RATE_HZ, endSeconds * ASR_SAMPLE_RATE_HZ)),
      ),
  }),
  close: async () => {},
};

/**
 * An engine that recognizes one word per half second of audio. The text is the level in percent and the index of the
 * word; the level determines the language: English up to 0.5, French above.
 */
export class LoudnessEngine implements AsrEngine {
  readonly maxSeconds = 20;
  readonly requests: { readonly seconds: number; readonly options: AsrOptions }[] = [];
  /** Modifies the words, to simulate the faults of real models. */
  fault: (words: AsrWord[]) => AsrWord[] = (words) => words;
  readonly name: string;
  readonly languages: readonly string[];

  constructor(name: string, languages: readonly string[]) {
    this.name = name;
    this.languages = languages;
  }

  async transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult> {
    options.signal.throwIfAborted();
    this.requests.push({ seconds: samples.length / ASR_SAMPLE_RATE_HZ, options });
    const spoken = languageOf(samples);
    const language = options.language ?? (this.languages.includes(spoken) ? spoken : this.languages[0]!);
    const words = this.fault(halfSeconds(samples));
    const isSpokenLanguage = language === spoken;
    return {
      text: words.map(({ text }) => text).join(' '),
      words: options.wordTimes ? words : [],
      language,
      languageProbability: 0.95,
      confidence: words.length === 0 ? 0 : isSpokenLanguage ? 0.9 : 0.3,
      noSpeech: undefined,
      isTruncated: false,
    };
  }

  async detectLanguage(samples: Float32Array): Promise<readonly LanguageProbability[]> {
    return [{ language: languageOf(samples), probability: 0.95 }];
  }

  async close(): Promise<void> {}
}

/** The services of a worker, with the given engines. */
export function fakeTaskContext(
  engines: readonly AsrEngine[],
  input: AsyncIterable<AsrInput> = (async function* () {})(),
): AsrTaskContext {
  return {
    input,
    voiceActivity: async () => LOUDNESS_VAD,
    speakerEmbedder: async () => LOUDNESS_EMBEDDER,
    engine: async (name) => engines.find((engine) => engine.name === name)!,
    addCpuSeconds: () => {},
  };
}

/** All values, in order. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Segments of `[seconds, level]` as samples. */
export function audioOf(...parts: readonly (readonly [seconds: number, loudness: number])[]): Float32Array {
  return Float32Array.from(
    parts.flatMap(([seconds, loudness]) =>
      Array.from({ length: Math.round(seconds * ASR_SAMPLE_RATE_HZ) }, () => loudness),
    ),
  );
}

function halfSeconds(samples: Float32Array): AsrWord[] {
  const words: AsrWord[] = [];
  const size = ASR_SAMPLE_RATE_HZ / 2;
  const from = samples.findIndex((sample) => sample > 0.01);
  for (let start = Math.max(0, from); start + size <= samples.length; start += size) {
    const loudness = samples[start + size / 2]!;
    if (loudness <= 0.01) continue;
    const startSeconds = start / ASR_SAMPLE_RATE_HZ;
    const text = `${Math.round(loudness * 100)}/${words.length}`;
    words.push({ text, startSeconds, endSeconds: startSeconds + 0.5, confidence: 0.9 });
  }
  return words;
}

function languageOf(samples: Float32Array): string {
  return samples.reduce((max, sample) => Math.max(max, sample), 0) > 0.5 ? 'fr' : 'en';
}
