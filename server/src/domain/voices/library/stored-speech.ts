import type { FileStore } from '../file-store.ts';
import type { ClipReader } from '../intake/clip-reader.ts';
import type { VoiceSample } from '../stored-voice.ts';

/** Limits of the recordings of a voice. */
export interface RecordingSettings {
  readonly voiceClipMaxSeconds: number;
  readonly voiceSpeechMinSeconds: number;
  readonly ffmpegPath: string;
}

/** Reads the stored recordings of voices. */
export class StoredSpeech {
  readonly #files: FileStore;
  readonly #reader: ClipReader;
  readonly #settings: RecordingSettings;

  constructor(files: FileStore, reader: ClipReader, settings: RecordingSettings) {
    this.#files = files;
    this.#reader = reader;
    this.#settings = settings;
  }

  /** The speech of the usable recordings among these. */
  async read(
    samples: readonly VoiceSample[],
    {
      accountId,
      sampleRateHz,
      signal,
    }: { readonly accountId: string; readonly sampleRateHz: number; readonly signal: AbortSignal },
  ): Promise<readonly Float32Array[]> {
    const paths = await Promise.all(samples.map(({ file }) => this.#files.locate(file)));
    const task = {
      sources: paths.flatMap((path) => (path === undefined ? [] : [{ kind: 'file' as const, path }])),
      sampleRateHz,
      speechMinSeconds: this.#settings.voiceSpeechMinSeconds,
      maxSeconds: this.#settings.voiceClipMaxSeconds,
      ffmpegPath: this.#settings.ffmpegPath,
    };
    if (task.sources.length === 0) return [];
    const clips = await this.#reader.read(task, { accountId, signal });
    return clips.filter(({ isPassed }) => isPassed).map(({ speechSamples }) => speechSamples);
  }
}
