import { ApiError } from '../../../errors.ts';
import type { ReferenceRecording } from '../../engines/tts-engine.ts';
import type { FileStore } from '../file-store.ts';
import { ANALYSIS_RATE_HZ } from '../intake/clip-frames.ts';
import type { AccountCall, ClipReader, ReadLimits } from '../intake/clip-reader.ts';
import { type Clip, resample } from '../intake/read-clip.ts';
import type { StoredVoice, VoiceSample } from '../stored-voice.ts';
import { RECORDING_RATE_HZ } from '../voice.ts';
import type { ClipTranscriber } from '../voice-cloner.ts';
import { SharedCache } from './shared-cache.ts';

export interface VoiceRecordingsDeps {
  readonly files: Pick<FileStore, 'locate'>;
  readonly reader: ClipReader;
  readonly limits: ReadLimits;
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
  readonly #cache: SharedCache<ReferenceRecording | undefined>;

  constructor(deps: VoiceRecordingsDeps) {
    this.#deps = deps;
    this.#cache = new SharedCache(deps.cacheMax);
  }

  /** The reference recording of a stored voice. Undefined when it has no usable clip or cannot be read. */
  async find(
    { id, samples }: Pick<StoredVoice, 'id' | 'samples'>,
    { accountId, signal }: AccountCall,
  ): Promise<ReferenceRecording | undefined> {
    try {
      return await this.#cache.get(id, signal, (shared) =>
        this.#read(samples, {
          accountId,
          signal: AbortSignal.any([shared, AbortSignal.timeout(READING_MAX_MS)]),
        }),
      );
    } catch (error) {
      signal.throwIfAborted();
      // The voice is usable without a recording. The next request tries again.
      this.#deps.onProblem(id, error);
      return undefined;
    }
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

  async #read(samples: readonly VoiceSample[], call: AccountCall): Promise<ReferenceRecording | undefined> {
    for (const sample of samples) {
      const clip = await this.#clipOf(sample, call);
      if (clip?.isPassed) {
        const transcribed = { clip, sampleRateHz: RECORDING_RATE_HZ, text: sample.text };
        return this.createFromClips([transcribed], call.signal);
      }
    }
    return undefined;
  }

  async #clipOf({ file }: VoiceSample, call: AccountCall): Promise<Clip | undefined> {
    const path = await this.#deps.files.locate(file);
    if (path === undefined) return undefined;
    const task = {
      ...this.#deps.limits,
      sources: [{ kind: 'file', path }] as const,
      sampleRateHz: RECORDING_RATE_HZ,
    };
    try {
      return (await this.#deps.reader.read(task, call))[0];
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unusable_recording') return undefined;
      throw error;
    }
  }
}
