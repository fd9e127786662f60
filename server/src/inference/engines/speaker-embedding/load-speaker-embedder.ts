import { Resampler } from '../../../audio/dsp/resampler.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngineContext,
  type SpeakerEmbedder,
} from '../../../domain/engines/asr-engine.ts';
import { extractSpeechCepstra, X_VECTOR_RATE_HZ } from './cepstra.ts';
import { PhraseNetwork } from './phrase-network.ts';

/** Longer speech does not improve the embedding. */
const SECONDS_MAX = 10;
const ALL = { startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY };

/** Loads the speaker embedding model. */
export async function loadSpeakerEmbedder(context: AsrEngineContext): Promise<SpeakerEmbedder> {
  const network = await PhraseNetwork.load(context);
  const openPhrase = (samples: Float32Array) => network.open(extractSpeechCepstra(toNarrowBand(samples)));
  return {
    openPhrase,
    async embed(samples) {
      const phrase = await openPhrase(samples.subarray(0, SECONDS_MAX * ASR_SAMPLE_RATE_HZ));
      const [embedding] = await phrase.embed([ALL]);
      return embedding;
    },
    close: () => network.close(),
  };
}

function toNarrowBand(samples: Float32Array): Float32Array {
  const resampler = new Resampler({ fromHz: ASR_SAMPLE_RATE_HZ, toHz: X_VECTOR_RATE_HZ });
  return joinSamples([resampler.process(samples), resampler.flush()]);
}
