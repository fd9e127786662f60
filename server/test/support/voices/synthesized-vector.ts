import { Resampler } from '../../../src/audio/dsp/resampler.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../../src/domain/engines/asr-engine.ts';
import type { ClonedVoice } from '../../../src/domain/voices/voice-cloner.ts';
import type { SpeechHost } from '../../../src/inference/runtime/speech/speech-host.ts';
import { spokenWords } from '../engines/tts-engine-contract.ts';

/** Synthesizes plain text with a speaker vector of an engine, at the sample rate of ASR engines. */
export async function synthesizeWithVector(
  host: SpeechHost,
  text: string,
  { engine: name, vector }: Pick<ClonedVoice, 'engine' | 'vector'>,
): Promise<Float32Array> {
  const engine = await host.engine(name);
  const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: ASR_SAMPLE_RATE_HZ });
  const voice = { kind: 'vector', values: vector } as const;
  const utterance = { words: spokenWords(text), language: 'en-US', voice, speed: 1, seed: 3 } as const;
  const parts: Float32Array[] = [];
  for await (const part of engine.speak(utterance, new AbortController().signal)) {
    parts.push(resampler.process(part.samples));
  }
  return joinSamples([...parts, resampler.flush()]);
}
