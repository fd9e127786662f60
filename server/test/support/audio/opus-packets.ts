import { Application, createEncoder } from 'libopus-wasm';

/** The sample rate and packet size (20 ms) of browsers and LiveKit. */
export const OPUS_RATE_HZ = 48_000;
const PACKET_SAMPLES = 960;

/** Encodes mono samples at `OPUS_RATE_HZ` to Opus packets. With two channels, both contain the samples. */
export async function opusPackets(samples: Float32Array, channels: 1 | 2 = 1): Promise<Uint8Array[]> {
  const encoder = await createEncoder({
    channels,
    sampleRate: OPUS_RATE_HZ,
    frameSize: PACKET_SAMPLES,
    application: Application.Voip,
    bitrate: channels * 24_000,
    dtx: true,
  });
  const packets: Uint8Array[] = [];
  for (let at = 0; at + PACKET_SAMPLES <= samples.length; at += PACKET_SAMPLES) {
    const frame = Float32Array.from(
      { length: PACKET_SAMPLES * channels },
      (_, index) => samples[at + Math.floor(index / channels)]!,
    );
    packets.push(encoder.encodeFloat(frame).slice());
  }
  encoder.free();
  return packets;
}
