/** An output audio format of the API. */
export type AudioFormat = 'mp3' | 'wav' | 'pcm' | 'opus' | 'flac';

/** A format that only clients of other services request. */
export type TelephoneFormat = 'ulaw' | 'alaw';

/** Every format that the server encodes itself. */
export type BuiltInFormat = AudioFormat | TelephoneFormat;

/** Every format that speech can have. FFmpeg encodes `aac`, which only clients of other services request. */
export type SpeechFormat = BuiltInFormat | 'aac';

export interface FormatInfo {
  readonly contentType: string;
  readonly fileExtension: string;
  /** The rates a client may request, the default first. */
  readonly sampleRatesHz: readonly [number, ...number[]];
}

/** Every format. `flac` is an extension; the others have exactly the rates of the Fish Audio API. */
export const FORMATS: Readonly<Record<AudioFormat, FormatInfo>> = {
  mp3: { contentType: 'audio/mpeg', fileExtension: 'mp3', sampleRatesHz: [44100, 32000] },
  wav: {
    contentType: 'audio/wav',
    fileExtension: 'wav',
    sampleRatesHz: [44100, 32000, 24000, 16000, 8000],
  },
  pcm: {
    contentType: 'audio/pcm',
    fileExtension: 'pcm',
    sampleRatesHz: [44100, 32000, 24000, 16000, 8000],
  },
  opus: { contentType: 'audio/ogg', fileExtension: 'opus', sampleRatesHz: [48000] },
  flac: {
    contentType: 'audio/flac',
    fileExtension: 'flac',
    sampleRatesHz: [44100, 48000, 32000, 24000, 16000, 8000],
  },
};

const OTHER_FORMATS: Readonly<Record<Exclude<SpeechFormat, AudioFormat>, FormatInfo>> = {
  ulaw: { contentType: 'audio/basic', fileExtension: 'ulaw', sampleRatesHz: [8000] },
  alaw: { contentType: 'audio/x-alaw-basic', fileExtension: 'alaw', sampleRatesHz: [8000] },
  aac: {
    contentType: 'audio/aac',
    fileExtension: 'aac',
    sampleRatesHz: [44100, 48000, 32000, 24000, 22050, 16000, 8000],
  },
};

/** Rates that only clients of other services request. */
const OTHER_RATES_HZ: Partial<Record<SpeechFormat, readonly number[]>> = {
  mp3: [22050, 24000],
  wav: [22050, 48000],
  pcm: [22050, 48000],
};

/** The names of all formats, in the order of the documentation. */
export const AUDIO_FORMATS = Object.keys(FORMATS) as readonly AudioFormat[];

/** The sample rate of a format when the client requests none. */
export function defaultSampleRateHz(format: SpeechFormat): number {
  return formatInfoOf(format).sampleRatesHz[0];
}

export function formatInfoOf(format: SpeechFormat): FormatInfo {
  return { ...FORMATS, ...OTHER_FORMATS }[format];
}

/** Whether the format can be encoded at this rate. The rates of our own API are in `FORMATS`. */
export function supportsSampleRate(format: SpeechFormat, sampleRateHz: number): boolean {
  const rates = [...formatInfoOf(format).sampleRatesHz, ...(OTHER_RATES_HZ[format] ?? [])];
  return rates.includes(sampleRateHz);
}
