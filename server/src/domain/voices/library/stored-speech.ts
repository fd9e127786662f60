import type { FileStore } from '../file-store.ts';
import type { ClipReader } from '../intake/clip-reader.ts';
import type { VoiceSample } from '../stored-voice.ts';

/** Limits of the recordings of a voice. */
export interface RecordingSettings {
  readonly voiceClipMaxSeconds: number;
  readonly voiceSpeechMinSeconds: number;
  readonly ffmpegPath: string;
}

/** The speech of a recording, without long pauses, and the transcript of the whole recording. */
export interface RecordedSpeech {
  readonly samples: Float32Array;
  /** Duration of the whole recording. */
  readonly durationSeconds: number;
  /** Empty while unknown. */
  readonly text: string;
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

  /** The speech of the usable recordings among these, with their transcripts. */
  async read(
    samples: readonly VoiceSample[],
    {
      accountId,
      sampleRateHz,
      signal,
    }: { readonly accountId: string; readonly sampleRateHz: number; readonly signal: AbortSignal },
  ): Promise<readonly RecordedSpeech[]> {
    const located = await Promise.all(
      samples.map(async ({ file, text }) => ({ path: await this.#files.locate(file), text })),
    );
    const found = located.flatMap(({ path, text }) => (path === undefined ? [] : [{ path, text }]));
    const task = {
      sources: found.map(({ path }) => ({ kind: 'file' as const, path })),
      sampleRateHz,
      speechMinSeconds: this.#settings.voiceSpeechMinSeconds,
      maxSeconds: this.#settings.voiceClipMaxSeconds,
      ffmpegPath: this.#settings.ffmpegPath,
    };
    if (task.sources.length === 0) return [];
    const clips = await this.#reader.read(task, { accountId, signal });
    return clips.flatMap(({ isPassed, speechSamples, durationSeconds }, index) =>
      isPassed ? [{ samples: speechSamples, durationSeconds, text: found[index]!.text }] : [],
    );
  }
}
