import type { Pcm } from '../../audio/pcm.ts';
import { type Watermark, WatermarkEmbedder } from '../../audio/watermark/watermark-embedder.ts';

/** Embeds the watermark into a stream of audio. */
export async function* applyWatermark(audio: AsyncGenerator<Pcm>, mark: Watermark): AsyncGenerator<Pcm> {
  let marker: WatermarkEmbedder | undefined;
  let sampleRateHz = 0;
  for await (const pcm of audio) {
    sampleRateHz = pcm.sampleRateHz;
    marker ??= new WatermarkEmbedder({ ...mark, sampleRateHz });
    const samples = marker.process(pcm.samples);
    if (samples.length > 0) yield { samples, sampleRateHz };
  }
  const rest = marker?.flush();
  if (rest !== undefined && rest.length > 0) yield { samples: rest, sampleRateHz };
}
