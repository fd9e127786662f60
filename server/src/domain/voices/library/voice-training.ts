import { ApiError } from '../../../errors.ts';
import type { FileStore } from '../file-store.ts';
import { ANALYSIS_RATE_HZ } from '../intake/clip-frames.ts';
import type { ClipReader } from '../intake/clip-reader.ts';
import type { StoredVoice } from '../stored-voice.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { ClipTranscriber } from '../voice-cloner.ts';
import { folderOf, sampleFile } from '../voice-files.ts';
import { toVoice } from '../voice-from-clone.ts';
import { TRAINING_LEASE_MS, type VoiceStore } from '../voice-store.ts';
import { type RecordingSettings, StoredSpeech } from './stored-speech.ts';
import { SAMPLE_TEXT, type SpeakSample, speakToFile } from './voice-previews.ts';
import type { VoiceRefinements } from './voice-refinements.ts';

export interface VoiceTrainingDeps {
  readonly store: VoiceStore;
  readonly files: FileStore;
  readonly reader?: ClipReader | undefined;
  readonly transcriber?: ClipTranscriber | undefined;
  readonly speak?: SpeakSample | undefined;
  readonly refinements: Pick<VoiceRefinements, 'whenEnded'>;
  readonly settings: VoiceTrainingSettings;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

export interface VoiceTrainingSettings extends RecordingSettings {
  readonly voiceTrainingMaxSeconds: number;
}

/**
 * Runs the transcription of a recording of this duration and charges it. Throws `insufficient_balance` or
 * `spend_cap_reached` without running it.
 */
export type MeterTranscript = <Transcript>(
  seconds: number,
  transcribe: () => Promise<Transcript>,
) => Promise<Transcript>;

/** The tasks of a new voice. */
export interface TrainingOptions {
  readonly isSampled: boolean;
  readonly meterTranscript: MeterTranscript;
}

type TrainingStep = (signal: AbortSignal) => Promise<void>;

/**
 * Background tasks of a new voice: transcription of its recordings, and a spoken sample. A task reads the stored
 * recordings when its turn comes, so that waiting tasks keep no audio in memory.
 */
export class VoiceTraining {
  readonly #deps: VoiceTrainingDeps;
  readonly #running = new Map<
    string,
    { readonly controller: AbortController; readonly done: Promise<void> }
  >();

  constructor(deps: VoiceTrainingDeps) {
    this.#deps = deps;
  }

  /** Starts the tasks of a voice and returns at once. */
  start(voice: StoredVoice, { isSampled, meterTranscript }: TrainingOptions): void {
    const controller = new AbortController();
    const { id, state } = voice;
    const { refinements } = this.#deps;
    const addSample: readonly TrainingStep[] = [
      // A client that asked for the refinement expects the sample of the refined voice.
      ...(state === 'training' ? [(signal: AbortSignal) => refinements.whenEnded(id, signal)] : []),
      (signal) => this.#addSample(id, signal),
    ];
    const steps: readonly TrainingStep[] = [
      (signal) => this.#transcribe(voice, meterTranscript, signal),
      ...(isSampled ? addSample : []),
    ];
    const renewal = setInterval(() => void this.#renew(voice.id, controller), TRAINING_LEASE_MS / 6).unref();
    const done = this.#runSteps(steps, voice.id, controller.signal).finally(() => {
      clearInterval(renewal);
      this.#running.delete(voice.id);
    });
    this.#running.set(voice.id, { controller, done });
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Aborts the tasks of a voice. */
  async stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.controller.abort(new Error('The voice was deleted.'));
    await running?.done;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
  }

  /** Aborts the tasks of a voice that another server has deleted. A failed renewal is repeated. */
  async #renew(id: string, controller: AbortController): Promise<void> {
    const isStored = await this.#deps.store.renewTraining(id, TRAINING_LEASE_MS).catch(() => true);
    if (!isStored) controller.abort(new Error('The voice was deleted.'));
  }

  /** Runs the steps in order. A failed step does not prevent the next one, because a voice is usable without any of them. */
  async #runSteps(steps: readonly TrainingStep[], voiceId: string, signal: AbortSignal): Promise<void> {
    const limit = {
      seconds: this.#deps.settings.voiceTrainingMaxSeconds,
      operation: 'A background task of this voice',
      signal,
    };
    for (const step of steps) {
      try {
        await withTimeLimit(limit, step);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onProblem(voiceId, error);
      }
    }
  }

  /** Transcribes the recordings for which the client sent no text, as far as the credit of the account covers it. */
  async #transcribe(
    voice: StoredVoice,
    meterTranscript: MeterTranscript,
    signal: AbortSignal,
  ): Promise<void> {
    const { transcriber, reader, store, files, settings } = this.#deps;
    if (transcriber === undefined || reader === undefined) return;
    const stored = new StoredSpeech(files, reader, settings);
    const samples = [...voice.samples];
    const reports = [...voice.clips];
    for (const [index, sample] of samples.entries()) {
      const report = reports[index];
      if (sample.text !== '' || report?.isPassed !== true) continue;
      const call = { accountId: voice.accountId, signal, kind: 'transcription' } as const;
      const transcript = await reader.inTurn(call, async () => {
        const { accountId } = voice;
        const [speech] = await stored.read([sample], { accountId, sampleRateHz: ANALYSIS_RATE_HZ, signal });
        if (speech === undefined) return undefined;
        const seconds = speech.samples.length / ANALYSIS_RATE_HZ;
        return meterTranscript(seconds, () => transcriber.transcribe(speech.samples, signal)).catch(
          undefinedWithoutCredit,
        );
      });
      if (transcript === undefined) return;
      const { text, language = 'unknown' } = transcript;
      samples[index] = { ...sample, text };
      reports[index] = { ...report, language };
      await store.change(voice.id, { samples, clips: reports }, Date.now());
    }
  }

  /** Stores a spoken sentence as the last sample. */
  async #addSample(id: string, signal: AbortSignal): Promise<void> {
    const { speak, store, files } = this.#deps;
    const voice = await store.find(id);
    if (speak === undefined || voice === undefined) return;
    const file = sampleFile(id, voice.samples.length);
    const options = { text: SAMPLE_TEXT, accountId: voice.accountId };
    await files.write(file, await speakToFile(speak, toVoice(voice), options, signal));
    const sample = { title: voice.title, text: SAMPLE_TEXT, file };
    const isStored = await store.change(id, { samples: [...voice.samples, sample] }, Date.now());
    // The voice was deleted in the meantime.
    if (!isStored) await files.remove(folderOf(id));
  }
}

function undefinedWithoutCredit(error: unknown): undefined {
  if (error instanceof ApiError && PAYMENT_ERRORS.has(error.code)) return undefined;
  throw error;
}

const PAYMENT_ERRORS: ReadonlySet<string> = new Set(['insufficient_balance', 'spend_cap_reached']);
