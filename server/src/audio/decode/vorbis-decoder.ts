import type { OggVorbisDecodedAudio } from '@wasm-audio-decoders/ogg-vorbis';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import { readValidPages } from './ogg-pages.ts';

/**
 * Decodes Vorbis in Ogg. The library receives only valid pages, because its search for a page in other bytes takes
 * quadratic time.
 */
export async function* decodeVorbis(reader: ByteReader): AsyncGenerator<DecodedAudio> {
  // Loaded with the first file: most server processes never decode one.
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis');
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  try {
    for await (const page of readValidPages(reader)) yield* decodedAudio(await decoder.decode(page));
    yield* decodedAudio(await decoder.flush());
  } finally {
    decoder.free();
  }
}

function* decodedAudio({
  channelData,
  samplesDecoded,
  sampleRate,
}: OggVorbisDecodedAudio): Generator<DecodedAudio> {
  if (samplesDecoded > 0) yield { channels: channelData, sampleRateHz: sampleRate };
}
