import { Resampler } from '../../../audio/dsp/resampler.ts';
import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngineContext,
  type SpeakerEmbedder,
} from '../../../domain/engines/asr-engine.ts';
import { speechCepstra, VOICE_PRINT_RATE_HZ } from './cepstra.ts';
import { CONTEXT_FRAMES } from './voice-print-graph.ts';
import { VoicePrintNetwork } from './voice-print-network.ts';

/** Less than this says nothing about a voice. */
const FRAMES_MIN = 2 * CONTEXT_FRAMES + 30;
/** More than this says nothing new, and would only cost. */
const SECONDS_MAX = 10;

/** Opens what tells voices apart. */
export async function loadVoicePrinter(context: AsrEngineContext): Promise<SpeakerEmbedder> {
  const network = await VoicePrintNetwork.open(context);
  return {
    async embed(samples) {
      const narrow = toNarrowBand(samples.subarray(0, SECONDS_MAX * ASR_SAMPLE_RATE_HZ));
      const { frames, values } = speechCepstra(narrow);
      if (frames < FRAMES_MIN) return undefined;
      // Four digits are more than a voice can be told by, and a two-hour recording has many of these.
      return Array.from(await network.print(values), (value) => Math.round(value * 1e4) / 1e4);
    },
    close: () => network.close(),
  };
}

function toNarrowBand(samples: Float32Array): Float32Array {
  const resampler = new Resampler({ fromHz: ASR_SAMPLE_RATE_HZ, toHz: VOICE_PRINT_RATE_HZ });
  const [head, tail] = [resampler.process(samples), resampler.flush()];
  const whole = new Float32Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
