import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { FileStore } from '../file-store.ts';
import { ANALYSIS_RATE_HZ } from '../intake/clip-frames.ts';
import { type Clip, type ReadClipOptions, readClip, resample } from '../intake/read-clip.ts';
import { MemoryAudio } from '../intake/stored-audio.ts';
import type { StoredVoice, VoiceSample } from '../stored-voice.ts';
import { RECORDING_RATE_HZ } from '../voice.ts';
import type { ClipTranscriber } from '../voice-cloner.ts';

export interface VoiceRecordingsDeps {
  readonly files: Pick<FileStore, 'read'>;
  readonly reading: Omit<ReadClipOptions, 'sampleRateHz' | 'signal'>;
  /** Absent on a server without transcription. */
  readonly transcriber?: ClipTranscriber | undefined;
  /** Maximum number of cached recordings. */
  readonly cacheMax: number;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

/** A clip at its own sample rate, with its transcript if the client sent one. */
export interface TranscribedClip {
  readonly clip: Pick<Clip, 'isPassed' | 'speechSamples'>;
  readonly sampleRateHz: number;
  readonly text: string;
}

/** Maximum duration of a reference recording. More does not improve the voice and slows some engines down. */
const SECONDS_MAX = 10;
const READING_MAX_MS = 60_000;

/** Reference recordings of stored voices for zero-shot engines: the speech of a clip and its transcript. */
export class VoiceRecordings {
  readonly #deps: VoiceRecordingsDeps;
  /** LRU cache; the least recently used entry comes first. */
  readonly #cache = new Map<string, Promise<ReferenceRecording | undefined>>();

  constructor(deps: VoiceRecordingsDeps) {
    this.#deps = deps;
  }

  /** The reference recording of a stored voice. Undefined when it has no usable clip. */
  find(voice: Pick<StoredVoice, 'id' | 'samples'>): Promise<ReferenceRecording | undefined> {
    const recording = this.#cache.get(voice.id) ?? this.#read(voice);
    this.#cache.delete(voice.id);
    this.#cache.set(voice.id, recording);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#deps.cacheMax) break;
      this.#cache.delete(oldest);
    }
    return recording;
  }

  forget(voiceId: string): void {
    this.#cache.delete(voiceId);
  }

  /** The beginning of the first usable clip. It is transcribed unless the given text belongs to exactly this part. */
  async createFromClips(
    clips: readonly TranscribedClip[],
    signal: AbortSignal,
  ): Promise<ReferenceRecording | undefined> {
    const first = clips.find(({ clip }) => clip.isPassed);
    if (first === undefined) return undefined;
    const speech = resample(first.clip.speechSamples, first.sampleRateHz, RECORDING_RATE_HZ);
    const samples = speech.slice(0, SECONDS_MAX * RECORDING_RATE_HZ);
    const { transcriber } = this.#deps;
    if (samples.length === speech.length && first.text !== '') return { samples, text: first.text };
    const samples16k = resample(samples, RECORDING_RATE_HZ, ANALYSIS_RATE_HZ);
    return { samples, text: (await transcriber?.transcribe(samples16k, signal))?.text ?? '' };
  }

  async #read({ id, samples }: Pick<StoredVoice, 'id' | 'samples'>): Promise<ReferenceRecording | undefined> {
    try {
      const signal = AbortSignal.timeout(READING_MAX_MS);
      for (const sample of samples) {
        const clip = await this.#clipOf(sample, signal);
        if (clip?.isPassed) {
          return await this.createFromClips(
            [{ clip, sampleRateHz: RECORDING_RATE_HZ, text: sample.text }],
            signal,
          );
        }
      }
    } catch (error) {
      // The voice is usable without a recording. The next request tries again.
      this.#cache.delete(id);
      this.#deps.onProblem(id, error);
    }
    return undefined;
  }

  async #clipOf({ file }: VoiceSample, signal: AbortSignal): Promise<Clip | undefined> {
    const bytes = await this.#deps.files.read(file);
    return (
      bytes &&
      readClip(new MemoryAudio(bytes).read(), {
        ...this.#deps.reading,
        sampleRateHz: RECORDING_RATE_HZ,
        signal,
      })
    );
  }
}
