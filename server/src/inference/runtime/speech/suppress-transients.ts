import { TransientSuppressor } from '../../../audio/dsp/transient-suppressor.ts';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';

/** The speech of an utterance without bursts that would be heard as clicks. The last of it comes as a part of its own. */
export async function* suppressTransients(speech: AsyncIterable<SpeechPart>): AsyncGenerator<SpeechPart> {
  let sampleRateHz = 0;
  let softener: TransientSuppressor | undefined;
  for await (const part of speech) {
    sampleRateHz = part.sampleRateHz;
    softener ??= new TransientSuppressor({ sampleRateHz });
    yield { ...part, samples: softener.process(part.samples) };
  }
  const samples = softener?.flush();
  if (samples && samples.length > 0) yield { samples, sampleRateHz };
}
