import type { MPEGDecoder } from 'mpg123-decoder';
import type { ByteReader } from './byte-reader.ts';
import type { DecodedAudio } from './decoded-audio.ts';

// A quarter of a second at 128 kbit/s: the loss when damage makes a restart of the decoder necessary.
const SLICE_BYTES = 4096;

// Bounds the work for a file that is damaged in many places.
const MAX_RESTARTS = 32;

// The decoder recovers from minor errors by itself.
const MAX_ERRORS_PER_SLICE = 16;

/** Decodes MPEG layers I to III. Damaged frames are skipped. */
export async function* decodeMp3(reader: ByteReader): AsyncGenerator<DecodedAudio> {
  let decoder = await openDecoder();
  let restarts = 0;
  let isMono: boolean | undefined;
  try {
    while (true) {
      const slice = await reader.readSome(SLICE_BYTES);
      if (slice.length === 0) return;
      isMono ??= firstFrameIsMono(slice);
      const decoded = tryDecode(decoder, slice);
      if (decoded === undefined) {
        if (++restarts > MAX_RESTARTS) return;
        decoder.free();
        decoder = await openDecoder();
      } else if (decoded.samplesDecoded > 0) {
        // The library always returns two channels.
        const channels = isMono ? decoded.channelData.slice(0, 1) : decoded.channelData;
        yield { channels, sampleRateHz: decoded.sampleRate };
      }
    }
  } finally {
    decoder.free();
  }
}

async function openDecoder(): Promise<MPEGDecoder> {
  // Loaded with the first file: most server processes never decode one.
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return decoder;
}

/**
 * Undefined when the decoder does not make progress. For some damage the library loops, reports the same error with
 * `console.error` and never returns; so `console.error` is replaced during the call and throws after too many errors.
 */
function tryDecode(decoder: MPEGDecoder, bytes: Uint8Array) {
  const consoleError = console.error;
  let errors = 0;
  console.error = () => {
    if (++errors > MAX_ERRORS_PER_SLICE) throw new Error('The MP3 decoder makes no progress.');
  };
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  } finally {
    console.error = consoleError;
  }
}

/** Undefined when no frame begins in these bytes. */
function firstFrameIsMono(bytes: Uint8Array): boolean | undefined {
  for (let at = bytes.indexOf(0xff); at !== -1 && at + 4 <= bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const [, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4);
    const isFrame = second >= 0xe0 && (second & 0x06) !== 0 && third < 0xf0 && (third & 0x0c) !== 0x0c;
    if (isFrame) return fourth >> 6 === 3;
  }
  return undefined;
}
