import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { type SniffedAudio, sniffAudio } from '../sniff.ts';
import { ByteReader } from './byte-reader.ts';
import { type DecodedAudio, inChunks } from './decoded-audio.ts';
import { decodeWav } from './wav-decoder.ts';

export type { DecodedAudio } from './decoded-audio.ts';

/** Bounds and means of one decode. */
export interface DecodeOptions {
  /** The program for formats we do not decode ourselves; `ffmpeg` on the path unless given. */
  readonly ffmpegPath?: string;
  /** More decoded sound than this is `audio_too_long`, whatever the file claims about itself. */
  readonly maxSeconds?: number;
  readonly signal?: AbortSignal;
}

// Enough to see which codec a container holds.
const PREFIX_BYTES = 4096;

/**
 * Decodes a file of any known format as its bytes arrive, in memory that does not grow with it. The format
 * is told from the bytes. A file that breaks off gives what could be decoded. Throws an `ApiError`:
 * `invalid_audio` when there is no sound in it, `audio_too_long`, or `unsupported_media_type`; besides that only
 * what the source throws, or the signal's reason.
 */
export async function* decodeAudio(
  bytes: AsyncIterable<Uint8Array>,
  options: DecodeOptions = {},
): AsyncGenerator<DecodedAudio> {
  const { maxSeconds = Number.POSITIVE_INFINITY, signal } = options;
  const reader = new ByteReader(bytes, signal);
  let seconds = 0;
  try {
    for await (const decoded of openDecoder(reader, await reader.peek(PREFIX_BYTES))) {
      for (const chunk of inChunks(decoded)) {
        seconds += (chunk.channels[0]?.length ?? 0) / chunk.sampleRateHz;
        if (seconds > maxSeconds) {
          throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
        }
        yield chunk;
        // Decoding is fast enough to starve everything else in the process.
        await nextTurn();
        signal?.throwIfAborted();
      }
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted === true || reader.isSourceFailure(error)) throw error;
    // Decoders give up on damaged files in their own ways; what came before the damage is good.
    if (seconds === 0) throw new ApiError('invalid_audio', 'The audio is damaged.', { cause: error });
  } finally {
    await reader.close();
  }
  if (seconds === 0) throw new ApiError('invalid_audio', 'There is no sound in the audio.');
}

function openDecoder(reader: ByteReader, prefix: Uint8Array): AsyncGenerator<DecodedAudio> {
  if (prefix.length === 0) throw new ApiError('invalid_audio', 'The audio is empty.');
  const format: SniffedAudio | undefined = sniffAudio(prefix);
  switch (format) {
    case 'wav':
      return decodeWav(reader);
    case undefined:
      throw new ApiError('invalid_audio', 'These bytes are not audio in a format this server knows.');
    default:
      throw new ApiError('unsupported_media_type', `This server cannot decode ${format}.`);
  }
}
