import type { Mp3BitrateKbps } from '../../../audio/encode/mp3-encoder.ts';
import { type SpeechFormat, supportsSampleRate } from '../../../audio/formats.ts';
import { ApiError } from '../../../errors.ts';
import type { OutputFormat } from '../../requests/speech-request.ts';

const NAME = /^(mp3|pcm|wav|opus|ulaw|alaw)_(\d{4,5})(?:_(\d{1,3}))?$/;
const MP3_BITRATES_KBPS = [64, 128, 192] as const;
/** Bitrates of MP3 at 22.05 and 24 kHz. */
const LOW_RATE_BITRATES_KBPS = [32, 48, 64] as const;
const LOW_RATE_MAX_HZ = 24_000;

/** Maps an `output_format` such as `mp3_44100_128`. Throws `invalid_request` for an unknown one. */
export function toOutputFormat(name: string): OutputFormat {
  const [, codec, rate, bitrate] = NAME.exec(name) ?? [];
  // The pattern allows only these codecs.
  const format = codec as SpeechFormat | undefined;
  const sampleRateHz = Number(rate);
  if (format === undefined || !supportsSampleRate(format, sampleRateHz)) {
    throw new ApiError('invalid_request', `unsupported output_format ${JSON.stringify(name)}`);
  }
  return {
    format,
    sampleRateHz,
    ...(format === 'mp3' &&
      bitrate !== undefined && { mp3BitrateKbps: toMp3Bitrate(sampleRateHz, Number(bitrate)) }),
  };
}

/** Rounds up to the next supported bitrate. */
function toMp3Bitrate(sampleRateHz: number, kbps: number): Mp3BitrateKbps {
  const tiers = sampleRateHz <= LOW_RATE_MAX_HZ ? LOW_RATE_BITRATES_KBPS : MP3_BITRATES_KBPS;
  const tier = tiers.find((known) => known >= kbps);
  if (tier !== undefined) return tier;
  throw new ApiError(
    'invalid_request',
    `The maximum MP3 bitrate at ${sampleRateHz} Hz is ${tiers.at(-1)} kbps.`,
  );
}
