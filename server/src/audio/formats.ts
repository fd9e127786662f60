/** An audio format a client can ask for. */
export type AudioFormat = 'mp3' | 'wav' | 'pcm' | 'opus' | 'flac';

/** What the wire needs to know about a format. */
export interface FormatInfo {
  readonly contentType: string;
  readonly fileExtension: string;
  /** The rates a client may ask for, the default first. */
  readonly sampleRatesHz: readonly [number, ...number[]];
}

/** Every format. `flac` is ours; the others carry the rates of the Fish Audio API and no more. */
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

/** The names of all formats, in the order they are documented. */
export const AUDIO_FORMATS = Object.keys(FORMATS) as readonly AudioFormat[];

/** The rate a format has when the client names none. */
export function defaultSampleRateHz(format: AudioFormat): number {
  return FORMATS[format].sampleRatesHz[0];
}

/** Whether a client may ask for this rate in this format. */
export function supportsSampleRate(format: AudioFormat, sampleRateHz: number): boolean {
  return FORMATS[format].sampleRatesHz.includes(sampleRateHz);
}
