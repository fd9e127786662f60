import { Resampler } from '../../src/audio/dsp/resampler.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../src/domain/engines/asr-engine.ts';
import type { WordTime } from '../../src/domain/engines/tts-engine.ts';
import type { Language } from '../../src/text/piece.ts';
import { openEngineHost } from './engine-context.ts';
import { spokenWords } from './engines/tts-engine-contract.ts';

/** Speech of our own, as engines that hear take it, with the exact times of its words. */
export interface SpokenSound {
  readonly samples: Float32Array;
  readonly words: readonly (WordTime & { readonly text: string })[];
}

const host = openEngineHost();

/** Speaks plain text (letters and closing punctuation only) with a Kokoro voice. */
export async function speakForHearing(
  text: string,
  options: { readonly voice?: string; readonly language?: Language } = {},
): Promise<SpokenSound> {
  const { voice = 'af_heart', language = 'en-US' } = options;
  const engine = await host.engine('kokoro-fast');
  const words = spokenWords(text);
  const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
  const parts: Float32Array[] = [];
  const times: WordTime[] = [];
  const utterance = { words, language, voice: { kind: 'named', name: voice }, speed: 1, seed: 7 } as const;
  for await (const part of engine.speak(utterance, new AbortController().signal)) {
    parts.push(resampler.process(part.samples));
    times.push(...(part.wordTimes ?? []));
  }
  parts.push(resampler.flush());
  return {
    samples: joinSamples(parts),
    words: times.map((time) => ({ ...time, text: words[time.wordIndex]!.text })),
  };
}
