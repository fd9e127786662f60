import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import {
  type DecodedAudio,
  MAX_CHANNELS,
  MAX_CHUNK_FRAMES,
  MAX_SAMPLE_RATE_HZ,
  MIN_SAMPLE_RATE_HZ,
} from './decoded-audio.ts';
import { decodeSamples, isKnownEncoding, type SampleEncoding } from './sample-encoding.ts';

/** How the samples of an uncompressed file lie. */
export interface SampleLayout {
  readonly encoding: SampleEncoding;
  readonly channels: number;
  readonly sampleRateHz: number;
}

/** Decodes interleaved samples up to the given number of bytes, or to the end of the stream. */
export async function* decodeLayout(
  reader: ByteReader,
  layout: SampleLayout,
  sizeBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<DecodedAudio> {
  const { encoding, channels, sampleRateHz } = assertSane(layout);
  const frameBytes = encoding.bytes * channels;
  for (let left = sizeBytes; left >= frameBytes; ) {
    const wanted = Math.min(MAX_CHUNK_FRAMES, Math.floor(left / frameBytes)) * frameBytes;
    const bytes = await reader.read(wanted);
    if (bytes.length < frameBytes) return;
    left -= bytes.length;
    yield { channels: decodeSamples(bytes, encoding, channels), sampleRateHz };
  }
}

function assertSane(layout: SampleLayout): SampleLayout {
  const { channels, sampleRateHz, encoding } = layout;
  if (channels < 1 || channels > MAX_CHANNELS) {
    throw new ApiError('invalid_audio', `The audio’s header claims ${channels} channels.`);
  }
  if (!(sampleRateHz >= MIN_SAMPLE_RATE_HZ && sampleRateHz <= MAX_SAMPLE_RATE_HZ)) {
    throw new ApiError('invalid_audio', `The audio’s header claims a sample rate of ${sampleRateHz} Hz.`);
  }
  if (!isKnownEncoding(encoding)) {
    throw new ApiError('invalid_audio', `The audio’s header claims samples of ${encoding.bytes} bytes.`);
  }
  return layout;
}
