import { setImmediate as nextTurn } from 'node:timers/promises';
import { Resampler } from '../../audio/dsp/resampler.ts';
import { type AudioEncoder, createEncoder } from '../../audio/encode/create-encoder.ts';
import type { Mp3BitrateKbps } from '../../audio/encode/mp3-encoder.ts';
import { type AudioFormat, defaultSampleRateHz } from '../../audio/formats.ts';
import type { Pcm } from '../../audio/pcm.ts';

/** The file a client asked for. */
export interface AudioSettings {
  readonly format: AudioFormat;
  /** Undefined means the format's own default. */
  readonly sampleRateHz: number | undefined;
  readonly mp3BitrateKbps: Mp3BitrateKbps;
  readonly opusBitrateBps: number | 'auto';
}

export interface AudioFile {
  readonly contentType: string;
  /** There is no sound in it; it is a valid file all the same. */
  readonly isEmpty: boolean;
  /** The bytes, as they are made. Leaving early lets go of the encoder and of the sound's source. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Longest stretch encoded without a pause for other requests, in seconds: where there is a codec, some milliseconds of work. */
const STRETCH_SECONDS: Readonly<Record<AudioFormat, number>> = {
  pcm: 4,
  wav: 4,
  flac: 0.5,
  mp3: 0.5,
  opus: 0.5,
};

/** Opens an audio file over a sound. Resolves when the sound's first samples are there, or it turned out empty. */
export async function encodeSpeech(sound: AsyncGenerator<Pcm>, settings: AudioSettings): Promise<AudioFile> {
  const sampleRateHz = settings.sampleRateHz ?? defaultSampleRateHz(settings.format);
  // Asked for first: the engine speaks while the encoder is made.
  const firstSound = sound.next();
  const encoder = await createEncoder({ ...settings, sampleRateHz });
  let first: IteratorResult<Pcm>;
  try {
    first = await firstSound;
  } catch (error) {
    encoder.dispose();
    throw error;
  }
  return {
    contentType: encoder.contentType,
    isEmpty: first.done === true,
    body: encodeBody(first, { sound, encoder, sampleRateHz, format: settings.format }),
  };
}

async function* encodeBody(
  first: IteratorResult<Pcm>,
  parts: {
    readonly sound: AsyncGenerator<Pcm>;
    readonly encoder: AudioEncoder;
    readonly sampleRateHz: number;
    readonly format: AudioFormat;
  },
): AsyncGenerator<Uint8Array> {
  const { sound, encoder, sampleRateHz, format } = parts;
  const stretchSamples = Math.round(sampleRateHz * STRETCH_SECONDS[format]);
  let resampler: Resampler | undefined;
  try {
    for (let next = first; next.done !== true; next = await sound.next()) {
      const { samples, sampleRateHz: fromHz } = next.value;
      resampler ??= new Resampler({ fromHz, toHz: sampleRateHz, reusesOutput: true });
      yield* encodeInStretches(encoder, resampler.process(samples), stretchSamples);
    }
    if (resampler !== undefined) yield* encodeInStretches(encoder, resampler.flush(), stretchSamples);
    const rest = encoder.finish();
    if (rest.length > 0) yield rest;
  } finally {
    encoder.dispose();
    await sound.return(undefined);
  }
}

async function* encodeInStretches(
  encoder: AudioEncoder,
  samples: Float32Array,
  stretchSamples: number,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < samples.length; from += stretchSamples) {
    if (from > 0) await nextTurn();
    const bytes = encoder.encode(samples.subarray(from, from + stretchSamples));
    if (bytes.length > 0) yield bytes;
  }
}
