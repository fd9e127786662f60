import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Resampler } from '../../audio/dsp/resampler.ts';
import { type AudioEncoder, createEncoder } from '../../audio/encode/create-encoder.ts';
import type { Mp3BitrateKbps } from '../../audio/encode/mp3-encoder.ts';
import { type BuiltInFormat, defaultSampleRateHz, type SpeechFormat } from '../../audio/formats.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { ApiError } from '../../errors.ts';
import { type Span, startSpan } from '../../tracing/tracing.ts';

/** The requested audio file format. */
export interface AudioSettings {
  readonly format: BuiltInFormat;
  /** Undefined: the default of the format. */
  readonly sampleRateHz: number | undefined;
  readonly mp3BitrateKbps: Mp3BitrateKbps;
  readonly opusBitrateBps: number | 'auto';
}

export interface AudioFile {
  readonly contentType: string;
  /** The file contains no samples. It is valid all the same. */
  readonly isEmpty: boolean;
  /** The bytes of the file, streamed. Ending the iteration early releases the encoder and the audio source. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Seconds of audio encoded per turn of the event loop: a few milliseconds of CPU time for the compressed formats. */
const BLOCK_SECONDS: Readonly<Record<BuiltInFormat, number>> = {
  pcm: 4,
  wav: 4,
  flac: 0.5,
  mp3: 0.5,
  opus: 0.5,
  ulaw: 4,
  alaw: 4,
};

/** The audio settings of a request. Throws `not_supported` for AAC, which only `withAac` encodes. */
export function audioSettingsOf(
  request: Omit<AudioSettings, 'format'> & { readonly format: SpeechFormat },
): AudioSettings {
  const { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps } = request;
  if (format === 'aac') throw new ApiError('not_supported', 'AAC is not available here.');
  return { format, sampleRateHz, mp3BitrateKbps, opusBitrateBps };
}

/** Encodes a stream of audio as a file. Resolves when the first samples are available, or the stream has ended. */
export async function encodeSpeech(audio: AsyncGenerator<Pcm>, settings: AudioSettings): Promise<AudioFile> {
  const sampleRateHz = settings.sampleRateHz ?? defaultSampleRateHz(settings.format);
  // Requested before the encoder is created, so that synthesis and encoder start-up overlap.
  const firstAudio = audio.next();
  // Awaited after the encoder: an earlier rejection must not be unhandled, which would end the process.
  firstAudio.catch(() => {});
  const encoder = await createEncoder({ ...settings, sampleRateHz });
  let first: IteratorResult<Pcm>;
  try {
    first = await firstAudio;
  } catch (error) {
    encoder.dispose();
    throw error;
  }
  const span = startSpan('encode', { attributes: { 'mynah.audio.format': settings.format } });
  return {
    contentType: encoder.contentType,
    isEmpty: first.done === true,
    body: encodeBody(first, { audio, encoder, sampleRateHz, span, format: settings.format }),
  };
}

async function* encodeBody(
  first: IteratorResult<Pcm>,
  parts: {
    readonly audio: AsyncGenerator<Pcm>;
    readonly encoder: AudioEncoder;
    readonly sampleRateHz: number;
    readonly format: BuiltInFormat;
    /** Ended with the file. It includes the time in which the encoder waits for audio and for the reader. */
    readonly span: Span;
  },
): AsyncGenerator<Uint8Array> {
  const { audio, encoder, sampleRateHz, format } = parts;
  let resampler: Resampler | undefined;
  try {
    // Samples are no variables here: this generator would keep them until the next audio, and the garbage collector
    // would move them to the old generation.
    for (let next = first; next.done !== true; next = await audio.next()) {
      resampler ??= new Resampler({
        fromHz: next.value.sampleRateHz,
        toHz: sampleRateHz,
        reusesOutput: true,
      });
      yield* encodeInBlocks(next.value, { encoder, resampler, blockSeconds: BLOCK_SECONDS[format] });
    }
    const last = resampler === undefined ? undefined : encoder.encode(resampler.flush());
    if (last !== undefined && last.length > 0) yield last;
    const rest = encoder.finish();
    if (rest.length > 0) yield rest;
  } catch (error) {
    parts.span.fail(error);
    throw error;
  } finally {
    parts.span.end();
    encoder.dispose();
    await audio.return(undefined);
  }
}

async function* encodeInBlocks(
  { samples, sampleRateHz }: Pcm,
  {
    encoder,
    resampler,
    blockSeconds,
  }: { readonly encoder: AudioEncoder; readonly resampler: Resampler; readonly blockSeconds: number },
): AsyncGenerator<Uint8Array> {
  const blockSamples = Math.round(sampleRateHz * blockSeconds);
  for (let from = 0; from < samples.length; from += blockSamples) {
    if (from > 0) await yieldToEventLoop();
    const bytes = encoder.encode(resampler.process(samples.subarray(from, from + blockSamples)));
    if (bytes.length > 0) yield bytes;
  }
}
