import { ApiError } from '../../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import {
  type DecodedAudio,
  type DurationCheck,
  MAX_CHANNELS,
  MAX_CHUNK_FRAMES,
  MAX_SAMPLE_RATE_HZ,
  MIN_SAMPLE_RATE_HZ,
} from './decoded-audio.ts';
import { decodeSamples, isSupportedEncoding, type SampleEncoding } from './sample-encoding.ts';

/** The layout of the samples in an uncompressed file. */
export interface SampleLayout {
  readonly encoding: SampleEncoding;
  readonly channels: number;
  readonly sampleRateHz: number;
}

/** Decodes interleaved samples up to the declared number of bytes or the end of the stream. Checks the declared duration first. */
export async function* decodeInterleaved(
  reader: ByteReader,
  layout: SampleLayout,
  declared: { readonly bytes: number | undefined; readonly checkDuration: DurationCheck },
): AsyncGenerator<DecodedAudio> {
  const { encoding, channels, sampleRateHz } = assertValid(layout);
  const frameBytes = encoding.bytes * channels;
  if (declared.bytes !== undefined) declared.checkDuration(declared.bytes / frameBytes / sampleRateHz);
  for (let remaining = declared.bytes ?? Number.POSITIVE_INFINITY; remaining >= frameBytes; ) {
    const wanted = Math.min(MAX_CHUNK_FRAMES, Math.floor(remaining / frameBytes)) * frameBytes;
    const bytes = await reader.read(wanted);
    if (bytes.length < frameBytes) return;
    remaining -= bytes.length;
    yield { channels: decodeSamples(bytes, encoding, channels), sampleRateHz };
  }
}

function assertValid(layout: SampleLayout): SampleLayout {
  const { channels, sampleRateHz, encoding } = layout;
  if (channels < 1 || channels > MAX_CHANNELS) {
    throw new ApiError('invalid_audio', `The audio header declares ${channels} channels.`);
  }
  if (!(sampleRateHz >= MIN_SAMPLE_RATE_HZ && sampleRateHz <= MAX_SAMPLE_RATE_HZ)) {
    throw new ApiError('invalid_audio', `The audio header declares a sample rate of ${sampleRateHz} Hz.`);
  }
  if (!isSupportedEncoding(encoding)) {
    throw new ApiError('invalid_audio', `The audio header declares samples of ${encoding.bytes} bytes.`);
  }
  return layout;
}
