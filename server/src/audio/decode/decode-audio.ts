import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { id3TagBytes, sniffAudio } from '../sniff.ts';
import { decodeAiff } from './aiff-decoder.ts';
import { ByteReader } from './byte-reader.ts';
import { type DecodedAudio, type DurationCheck, splitIntoChunks } from './decoded-audio.ts';
import { decodeWithFfmpeg, type FfmpegSlots } from './ffmpeg-decoder.ts';
import { decodeFlac } from './flac-decoder.ts';
import { decodeMp3 } from './mp3-decoder.ts';
import { decodeOggOpus } from './ogg-opus-decoder.ts';
import { decodeVorbis } from './vorbis-decoder.ts';
import { decodeWav, isCompressedWav } from './wav-decoder.ts';
import { decodeWebmOpus, hasOpusTrack } from './webm-decoder.ts';

export type { DecodedAudio } from './decoded-audio.ts';

export interface DecodeOptions {
  /** The FFmpeg executable, for formats without a decoder here; default: `ffmpeg` on the path. */
  readonly ffmpegPath?: string | undefined;
  /** Limits the number of FFmpeg processes; default: no limit. */
  readonly ffmpegSlots?: FfmpegSlots | undefined;
  /** Maximum duration. A header that declares more is rejected with `audio_too_long` before any decoding. */
  readonly maxSeconds?: number;
  /** Maximum number of samples of all channels, before resampling. More are rejected with `audio_too_costly`. */
  readonly maxSamples?: number | undefined;
  readonly signal?: AbortSignal;
}

// Enough to detect the codec in a container.
const PREFIX_BYTES = 16384;

/**
 * Decodes a stream of any known format in constant memory. The format is detected from the bytes. A truncated file gives
 * the audio before the truncation. Throws an `ApiError` (`invalid_audio` when there is no audio, `audio_too_long`,
 * `audio_too_costly` or `unsupported_media_type`), an error of the source, or the reason of the signal.
 */
export async function* decodeAudio(
  bytes: AsyncIterable<Uint8Array>,
  options: DecodeOptions = {},
): AsyncGenerator<DecodedAudio> {
  const { maxSeconds = Number.POSITIVE_INFINITY, maxSamples = Number.POSITIVE_INFINITY, signal } = options;
  const reader = new ByteReader(bytes, signal);
  let declaredSeconds = 0;
  let decodedSamples = 0;
  const checkSamples = ({ channels, sampleRateHz }: DecodedAudio) => {
    decodedSamples += channels.length * channels[0]!.length;
    // A header that declares too many samples is rejected with the first chunk, which gives rate and channels.
    if (Math.max(decodedSamples, declaredSeconds * sampleRateHz * channels.length) <= maxSamples) return;
    throw new ApiError('audio_too_costly', `The audio has more than ${maxSamples} samples.`);
  };
  const checkDuration: DurationCheck = (seconds) => {
    if (seconds > maxSeconds) {
      throw new ApiError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
    }
  };
  const checkDeclared: DurationCheck = (seconds) => {
    checkDuration(seconds);
    declaredSeconds = Math.max(declaredSeconds, seconds);
  };
  let decodedSeconds = 0;
  try {
    for await (const decoded of openDecoder(reader, await readPrefix(reader), checkDeclared, options)) {
      for (const chunk of splitIntoChunks(decoded)) {
        decodedSeconds += (chunk.channels[0]?.length ?? 0) / chunk.sampleRateHz;
        checkDuration(decodedSeconds);
        checkSamples(chunk);
        yield chunk;
        // Decoding would otherwise block the event loop.
        await nextTurn();
        signal?.throwIfAborted();
      }
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted === true || reader.isSourceFailure(error)) throw error;
    // A decoder failed on damaged input; the audio before the damage is valid.
    if (decodedSeconds === 0) throw new ApiError('invalid_audio', 'The audio is damaged.', { cause: error });
  } finally {
    await reader.close();
  }
  if (decodedSeconds === 0) throw new ApiError('invalid_audio', 'The file contains no audio.');
}

/** Formats decoded by FFmpeg: the name of its demuxer, and the name for error messages. */
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

/** Skips ID3 tags, which may precede several formats, and returns the first bytes after them. */
async function readPrefix(reader: ByteReader): Promise<Uint8Array> {
  for (let size = id3TagBytes(await reader.peek(10)); size > 0; size = id3TagBytes(await reader.peek(10))) {
    await reader.skip(size);
  }
  return reader.peek(PREFIX_BYTES);
}

function openDecoder(
  reader: ByteReader,
  prefix: Uint8Array,
  checkDuration: DurationCheck,
  { ffmpegPath = 'ffmpeg', ffmpegSlots, maxSeconds = Number.POSITIVE_INFINITY, signal }: DecodeOptions,
): AsyncGenerator<DecodedAudio> {
  if (prefix.length === 0) throw new ApiError('invalid_audio', 'The audio is empty.');
  const withFfmpeg = (format: keyof typeof FFMPEG_FORMATS) =>
    decodeWithFfmpeg(reader, {
      ...FFMPEG_FORMATS[format],
      ffmpegPath,
      slots: ffmpegSlots,
      maxSeconds,
      checkDuration,
      signal,
    });
  const format = sniffAudio(prefix);
  switch (format) {
    case 'wav':
      return isCompressedWav(prefix) ? withFfmpeg('wav') : decodeWav(reader, checkDuration);
    case 'aiff':
      return decodeAiff(reader, checkDuration);
    case 'mp3':
      return decodeMp3(reader);
    case 'flac':
      return decodeFlac(reader, checkDuration);
    case 'ogg/opus':
      return decodeOggOpus(reader);
    case 'ogg/vorbis':
      return decodeVorbis(reader);
    case 'webm':
      return hasOpusTrack(prefix) ? decodeWebmOpus(reader) : withFfmpeg('webm');
    case undefined:
      throw new ApiError('invalid_audio', 'The bytes are not audio in a known format.');
    default:
      return withFfmpeg(format);
  }
}
