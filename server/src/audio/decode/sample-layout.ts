import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import {
  type ClaimCheck,
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

/**
 * Decodes interleaved samples up to the number of bytes the file declares, or to the end of the stream.
 * What is declared is told before.
 */
export async function* decodeLayout(
  reader: ByteReader,
  layout: SampleLayout,
  declared: { readonly bytes: number | undefined; readonly onClaim: ClaimCheck },
): AsyncGenerator<DecodedAudio> {
  const { encoding, channels, sampleRateHz } = assertSane(layout);
  const frameBytes = encoding.bytes * channels;
  if (declared.bytes !== undefined) declared.onClaim(declared.bytes / frameBytes / sampleRateHz);
  for (let left = declared.bytes ?? Number.POSITIVE_INFINITY; left >= frameBytes; ) {
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
