import { ApiError } from '../../../errors.ts';

const NAME = /^(mp3|pcm|wav|opus)_(\d+)(?:_(\d+))?$/;
const MP3_BITRATES_KBPS = [64, 128, 192] as const;

/** Maps an `output_format` such as `mp3_44100_128` to native fields. */
export function toFormatFields(name: string) {
  const [, codec, rate, bitrate] = NAME.exec(name) ?? [];
  if (codec === undefined) {
    throw new ApiError('invalid_request', `unsupported output_format ${JSON.stringify(name)}`);
  }
  return {
    format: codec as 'mp3' | 'pcm' | 'wav' | 'opus',
    sample_rate: Number(rate),
    ...(codec === 'mp3' && bitrate !== undefined && { mp3_bitrate: toMp3Bitrate(Number(bitrate)) }),
  };
}

/** Rounds up to the next supported bitrate. */
function toMp3Bitrate(kbps: number): (typeof MP3_BITRATES_KBPS)[number] {
  const tier = MP3_BITRATES_KBPS.find((known) => known >= kbps);
  if (tier !== undefined) return tier;
  throw new ApiError('invalid_request', `The maximum MP3 bitrate is ${MP3_BITRATES_KBPS.at(-1)} kbps.`);
}
