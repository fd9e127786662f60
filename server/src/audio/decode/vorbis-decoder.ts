import { type OggVorbisDecodedAudio, OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio } from './decoded-audio.ts';
import { readWholePages } from './ogg-pages.ts';

/**
 * Decodes Vorbis in Ogg. The library gets whole, undamaged pages only: in what is no page it searches for one with an
 * effort that grows with the square of the length.
 */
export async function* decodeVorbis(reader: ByteReader): AsyncGenerator<DecodedAudio> {
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  try {
    for await (const page of readWholePages(reader)) yield* heard(await decoder.decode(page));
    yield* heard(await decoder.flush());
  } finally {
    decoder.free();
  }
}

function* heard({ channelData, samplesDecoded, sampleRate }: OggVorbisDecodedAudio): Generator<DecodedAudio> {
  if (samplesDecoded > 0) yield { channels: channelData, sampleRateHz: sampleRate };
}
