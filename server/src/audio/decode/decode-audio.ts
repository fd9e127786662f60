import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { id3TagBytes, sniffAudio } from '../sniff.ts';
import { decodeAiff } from './aiff-decoder.ts';
import { ByteReader } from './byte-reader.ts';
import { type ClaimCheck, type DecodedAudio, inChunks } from './decoded-audio.ts';
import { decodeWithFfmpeg } from './ffmpeg-decoder.ts';
import { decodeFlac } from './flac-decoder.ts';
import { decodeMp3 } from './mp3-decoder.ts';
import { decodeOggOpus } from './ogg-opus-decoder.ts';
import { decodeVorbis } from './vorbis-decoder.ts';
import { decodeWav, isCompressedWav } from './wav-decoder.ts';
import { decodeWebmOpus, holdsOpus } from './webm-decoder.ts';

export type { DecodedAudio } from './decoded-audio.ts';

/** Bounds and means of one decode. */
export interface DecodeOptions {
  /** The program for formats we do not decode ourselves; `ffmpeg` on the path unless given. */
  readonly ffmpegPath?: string | undefined;
  /** More decoded sound than this is `audio_too_long`; so is a header that claims more, before anything is decoded. */
  readonly maxSeconds?: number;
  readonly signal?: AbortSignal;
}

// Enough to see which codec a container holds.
const PREFIX_BYTES = 16384;

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
  const refuseLong: ClaimCheck = (length) => {
    if (length > maxSeconds) {
      throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
    }
  };
  let seconds = 0;
  try {
    for await (const decoded of openDecoder(reader, await readPrefix(reader), refuseLong, options)) {
      for (const chunk of inChunks(decoded)) {
        seconds += (chunk.channels[0]?.length ?? 0) / chunk.sampleRateHz;
        refuseLong(seconds);
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

/** Formats we leave to FFmpeg: its name of the container, and the name people know. */
const FFMPEG_FORMATS = {
  mp4: { demuxer: 'mov', formatName: 'M4A or MP4' },
  aac: { demuxer: 'aac', formatName: 'AAC' },
  webm: { demuxer: 'matroska', formatName: 'WebM without Opus' },
  ogg: { demuxer: 'ogg', formatName: 'Ogg with neither Opus nor Vorbis' },
  wav: { demuxer: 'wav', formatName: 'Compressed WAV' },
  caf: { demuxer: 'caf', formatName: 'CAF' },
  amr: { demuxer: 'amr', formatName: 'AMR' },
  asf: { demuxer: 'asf', formatName: 'WMA' },
  au: { demuxer: 'au', formatName: 'AU' },
} as const;

/** The first bytes after tags, which may stand before several formats and hold whole pictures. */
async function readPrefix(reader: ByteReader): Promise<Uint8Array> {
  for (let size = id3TagBytes(await reader.peek(10)); size > 0; size = id3TagBytes(await reader.peek(10))) {
    await reader.skip(size);
  }
  return reader.peek(PREFIX_BYTES);
}

function openDecoder(
  reader: ByteReader,
  prefix: Uint8Array,
  refuseLong: ClaimCheck,
  { ffmpegPath = 'ffmpeg', maxSeconds = Number.POSITIVE_INFINITY, signal }: DecodeOptions,
): AsyncGenerator<DecodedAudio> {
  if (prefix.length === 0) throw new ApiError('invalid_audio', 'The audio is empty.');
  const withFfmpeg = (format: keyof typeof FFMPEG_FORMATS) =>
    decodeWithFfmpeg(reader, { ...FFMPEG_FORMATS[format], ffmpegPath, maxSeconds, refuseLong, signal });
  const format = sniffAudio(prefix);
  switch (format) {
    case 'wav':
      return isCompressedWav(prefix) ? withFfmpeg('wav') : decodeWav(reader, refuseLong);
    case 'aiff':
      return decodeAiff(reader, refuseLong);
    case 'mp3':
      return decodeMp3(reader);
    case 'flac':
      return decodeFlac(reader, refuseLong);
    case 'ogg/opus':
      return decodeOggOpus(reader);
    case 'ogg/vorbis':
      return decodeVorbis(reader);
    case 'webm':
      return holdsOpus(prefix) ? decodeWebmOpus(reader) : withFfmpeg('webm');
    case undefined:
      throw new ApiError('invalid_audio', 'These bytes are not audio in a format this server knows.');
    default:
      return withFfmpeg(format);
  }
}
