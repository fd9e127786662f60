/** An output audio format of the API. */
export type AudioFormat = 'mp3' | 'wav' | 'pcm' | 'opus' | 'flac';

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

/** The names of all formats, in the order of the documentation. */
export const AUDIO_FORMATS = Object.keys(FORMATS) as readonly AudioFormat[];

/** The sample rate of a format when the client requests none. */
export function defaultSampleRateHz(format: AudioFormat): number {
  return FORMATS[format].sampleRatesHz[0];
}

export function supportsSampleRate(format: AudioFormat, sampleRateHz: number): boolean {
  return FORMATS[format].sampleRatesHz.includes(sampleRateHz);
}
