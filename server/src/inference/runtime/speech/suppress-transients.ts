import { TransientSuppressor } from '../../../audio/dsp/transient-suppressor.ts';
import type { SpeechPart } from '../../../domain/engines/tts-engine.ts';

/** Attenuates transients that are audible as clicks. The samples that the filter delays come as an extra last part. */
export async function* suppressTransients(speech: AsyncIterable<SpeechPart>): AsyncGenerator<SpeechPart> {
  let sampleRateHz = 0;
  let suppressor: TransientSuppressor | undefined;
  for await (const part of speech) {
    sampleRateHz = part.sampleRateHz;
    suppressor ??= new TransientSuppressor({ sampleRateHz });
    yield { ...part, samples: suppressor.process(part.samples) };
  }
  const samples = suppressor?.flush();
  if (samples && samples.length > 0) yield { samples, sampleRateHz };
}
