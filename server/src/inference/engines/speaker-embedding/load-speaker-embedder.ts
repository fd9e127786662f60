import { Resampler } from '../../../audio/dsp/resampler.ts';
import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngineContext,
  type SpeakerEmbedder,
} from '../../../domain/engines/asr-engine.ts';
import { extractSpeechCepstra, X_VECTOR_RATE_HZ } from './cepstra.ts';
import { CONTEXT_FRAMES } from './x-vector-graph.ts';
import { XVectorNetwork } from './x-vector-network.ts';

/** Shorter speech gives no usable embedding. */
const FRAMES_MIN = 2 * CONTEXT_FRAMES + 30;
/** Longer speech does not improve the embedding. */
const SECONDS_MAX = 10;

/** Loads the speaker embedding model. */
export async function loadSpeakerEmbedder(context: AsrEngineContext): Promise<SpeakerEmbedder> {
  const network = await XVectorNetwork.open(context);
  return {
    async embed(samples) {
      const narrow = toNarrowBand(samples.subarray(0, SECONDS_MAX * ASR_SAMPLE_RATE_HZ));
      const { frames, values } = extractSpeechCepstra(narrow);
      if (frames < FRAMES_MIN) return undefined;
      // Four digits exceed the discrimination of the model; a two-hour recording has many embeddings.
      return Array.from(await network.embed(values), (value) => Math.round(value * 1e4) / 1e4);
    },
    close: () => network.close(),
  };
}

function toNarrowBand(samples: Float32Array): Float32Array {
  const resampler = new Resampler({ fromHz: ASR_SAMPLE_RATE_HZ, toHz: X_VECTOR_RATE_HZ });
  const [head, tail] = [resampler.process(samples), resampler.flush()];
  const resampled = new Float32Array(head.length + tail.length);
  resampled.set(head);
  resampled.set(tail, head.length);
  return resampled;
}
