import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { FileStore } from '../file-store.ts';
import { JUDGED_RATE_HZ } from '../intake/clip-frames.ts';
import { type Clip, type ReadClipOptions, readClip, resampled } from '../intake/read-clip.ts';
import { MemoryAudio } from '../intake/stored-audio.ts';
import type { StoredVoice, VoiceSample } from '../stored-voice.ts';
import { RECORDING_RATE_HZ } from '../voice.ts';
import type { ClipTranscriber } from '../voice-cloner.ts';

export interface VoiceRecordingsDeps {
  readonly files: Pick<FileStore, 'read'>;
  readonly reading: Omit<ReadClipOptions, 'sampleRateHz' | 'signal'>;
  /** Absent on a server that cannot hear. */
  readonly transcriber?: ClipTranscriber | undefined;
  /** So many voices are remembered. */
  readonly cacheMax: number;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

/** A clip, at its own rate, and what is said in it, where the client knows. */
export interface HeardClip {
  readonly clip: Pick<Clip, 'isPassed' | 'spoken'>;
  readonly sampleRateHz: number;
  readonly text: string;
}

/** More of a recording tells no engine anything new, and costs some of them time for every sentence. */
const SECONDS_MAX = 10;
const READING_MAX_MS = 60_000;

/** The recordings of voices, cut to their speech and with its words, for engines that speak like a recording. */
export class VoiceRecordings {
  readonly #deps: VoiceRecordingsDeps;
  /** The least recently used first. */
  readonly #known = new Map<string, Promise<ReferenceRecording | undefined>>();

  constructor(deps: VoiceRecordingsDeps) {
    this.#deps = deps;
  }

  /** The recording of a kept voice. Undefined for a voice without one that will do. */
  of(voice: Pick<StoredVoice, 'id' | 'samples'>): Promise<ReferenceRecording | undefined> {
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

  /** The beginning of the first clip that will do. What is said there is heard anew unless the text is for no more than that. */
  async from(clips: readonly HeardClip[], signal: AbortSignal): Promise<ReferenceRecording | undefined> {
    const first = clips.find(({ clip }) => clip.isPassed);
    if (first === undefined) return undefined;
    const whole = resampled(first.clip.spoken, first.sampleRateHz, RECORDING_RATE_HZ);
    const samples = whole.slice(0, SECONDS_MAX * RECORDING_RATE_HZ);
    const { transcriber } = this.#deps;
    if (samples.length === whole.length && first.text !== '') return { samples, text: first.text };
    const heard = resampled(samples, RECORDING_RATE_HZ, JUDGED_RATE_HZ);
    return { samples, text: (await transcriber?.transcribe(heard, signal))?.text ?? '' };
  }

  async #read({ id, samples }: Pick<StoredVoice, 'id' | 'samples'>): Promise<ReferenceRecording | undefined> {
    try {
      const signal = AbortSignal.timeout(READING_MAX_MS);
      for (const sample of samples) {
        const clip = await this.#clipOf(sample, signal);
        if (clip?.isPassed) {
          return await this.from([{ clip, sampleRateHz: RECORDING_RATE_HZ, text: sample.text }], signal);
        }
      }
    } catch (error) {
      // The voice can be spoken without, and the next request tries again.
      this.#known.delete(id);
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
