import type { Pcm } from '../../audio/pcm.ts';
import { type Mark, Watermarker } from '../../audio/watermark/watermarker.ts';

/** Embeds the watermark into a stream of audio. */
export async function* applyWatermark(audio: AsyncGenerator<Pcm>, mark: Mark): AsyncGenerator<Pcm> {
  let marker: Watermarker | undefined;
  let sampleRateHz = 0;
  for await (const pcm of audio) {
    sampleRateHz = pcm.sampleRateHz;
    marker ??= new Watermarker({ ...mark, sampleRateHz });
    const samples = marker.process(pcm.samples);
    if (samples.length > 0) yield { samples, sampleRateHz };
  }
  const rest = marker?.flush();
  if (rest !== undefined && rest.length > 0) yield { samples: rest, sampleRateHz };
}
