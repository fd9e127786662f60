import type { FileStore } from './file-store.ts';
import { type ReadClipOptions, readClip } from './intake/read-clip.ts';
import type { KeptVoice } from './kept-voice.ts';
import { RECORDING_RATE_HZ } from './voice.ts';

export interface VoiceRecordingsDeps {
  readonly files: FileStore;
  readonly reading: Omit<ReadClipOptions, 'sampleRateHz' | 'signal'>;
  /** So many voices are remembered. */
  readonly cacheMax: number;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

/** No engine wants more of a recording than this. */
const SECONDS_MAX = 12;
const READING_MAX_MS = 60_000;

/** The recordings of kept voices, decoded and cut to their speech, for engines that speak like a recording. */
export class VoiceRecordings {
  readonly #deps: VoiceRecordingsDeps;
  /** The least recently used first. */
  readonly #known = new Map<string, Promise<Float32Array | undefined>>();

  constructor(deps: VoiceRecordingsDeps) {
    this.#deps = deps;
  }

  /** Undefined for a voice without a recording that will do. */
  of(voice: Pick<KeptVoice, 'id' | 'samples'>): Promise<Float32Array | undefined> {
    const known = this.#known.get(voice.id) ?? this.#read(voice);
    this.#known.delete(voice.id);
    this.#known.set(voice.id, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#deps.cacheMax) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  forget(voiceId: string): void {
    this.#known.delete(voiceId);
  }

  async #read({ id, samples }: Pick<KeptVoice, 'id' | 'samples'>): Promise<Float32Array | undefined> {
    try {
      for (const { file } of samples) {
        const bytes = await this.#deps.files.read(file);
        if (bytes === undefined) continue;
        const clip = await readClip(bytes, {
          ...this.#deps.reading,
          sampleRateHz: RECORDING_RATE_HZ,
          signal: AbortSignal.timeout(READING_MAX_MS),
        });
        if (clip.isPassed) return clip.spoken.slice(0, SECONDS_MAX * RECORDING_RATE_HZ);
      }
    } catch (error) {
      // The voice can be spoken without, and the next request tries again.
      this.#known.delete(id);
      this.#deps.onProblem(id, error);
    }
    return undefined;
  }
}
