import { Resampler } from '../../../src/audio/dsp/resampler.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../../src/domain/engines/asr-engine.ts';
import type { WordTime } from '../../../src/domain/engines/tts-engine.ts';
import type { Language } from '../../../src/text/piece.ts';
import { spokenWords } from '../engines/tts-engine-contract.ts';
import { openSpeechHost } from '../workers/engine-context.ts';

/** Synthesized speech at the sample rate of ASR engines, with exact word times. */
export interface SynthesizedAudio {
  readonly samples: Float32Array;
  readonly words: readonly (WordTime & { readonly text: string })[];
}

const host = openSpeechHost();

/** Synthesizes plain text (letters and closing punctuation only) with a Kokoro voice. */
export async function synthesizeForAsr(
  text: string,
  options: { readonly voice?: string; readonly language?: Language } = {},
): Promise<SynthesizedAudio> {
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
