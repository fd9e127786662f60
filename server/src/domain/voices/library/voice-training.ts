import type { FileStore } from '../file-store.ts';
import { JUDGED_RATE_HZ } from '../intake/clip-frames.ts';
import { type Clip, resampled } from '../intake/read-clip.ts';
import { toVoice } from '../spoken-voice.ts';
import type { StoredVoice } from '../stored-voice.ts';
import { withinTime } from '../time-limit.ts';
import type { ClipTranscriber, VoiceCloner } from '../voice-cloner.ts';
import { sampleFile } from '../voice-files.ts';
import type { VoiceStore } from '../voice-store.ts';
import { introduce, previewText, type SpeakSample } from './voice-previews.ts';

export interface VoiceTrainingDeps {
  readonly store: VoiceStore;
  readonly files: FileStore;
  readonly cloner?: VoiceCloner | undefined;
  readonly transcriber?: ClipTranscriber | undefined;
  readonly speak?: SpeakSample | undefined;
  readonly settings: VoiceTrainingSettings;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

export interface VoiceTrainingSettings {
  readonly voiceTrainingMaxSeconds: number;
}

type TrainingStep = (signal: AbortSignal) => Promise<void>;

/**
 * What is done for a voice after it was answered for: hearing what is said in it, coming closer to the person, and
 * speaking a sample.
 */
export class VoiceTraining {
  readonly #deps: VoiceTrainingDeps;
  readonly #running = new Map<string, { readonly stopper: AbortController; readonly done: Promise<void> }>();

  constructor(deps: VoiceTrainingDeps) {
    this.#deps = deps;
  }

  /** Starts what the voice needs, and returns at once. */
  begin(voice: StoredVoice, clips: readonly Clip[], { isSampled }: { readonly isSampled: boolean }): void {
    const stopper = new AbortController();
    const steps: readonly TrainingStep[] = [
      (signal) => this.#transcribe(voice, clips, signal),
      ...(voice.state === 'training' ? [(signal: AbortSignal) => this.#refine(voice, clips, signal)] : []),
      ...(isSampled ? [(signal: AbortSignal) => this.#addSample(voice.id, signal)] : []),
    ];
    const done = this.#do(steps, voice.id, stopper.signal).finally(() => this.#running.delete(voice.id));
    this.#running.set(voice.id, { stopper, done });
  }

  /** Ends the work for one voice. */
  async stop(id: string): Promise<void> {
    const work = this.#running.get(id);
    work?.stopper.abort(new Error('The voice was deleted.'));
    await work?.done;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
  }

  /** One step after the other. A voice can do without any of them, so that one that fails keeps none from the next. */
  async #do(steps: readonly TrainingStep[], voiceId: string, signal: AbortSignal): Promise<void> {
    const limit = {
      seconds: this.#deps.settings.voiceTrainingMaxSeconds,
      what: 'Training this voice',
      signal,
    };
    for (const step of steps) {
      try {
        await withinTime(limit, step);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onProblem(voiceId, error);
      }
    }
  }

  /** Fills in the texts that the client did not send. */
  async #transcribe(voice: StoredVoice, clips: readonly Clip[], signal: AbortSignal): Promise<void> {
    const { transcriber, cloner, store } = this.#deps;
    if (transcriber === undefined || cloner === undefined) return;
    const samples = [...voice.samples];
    const reports = [...voice.clips];
    for (const [index, sample] of samples.entries()) {
      const clip = clips[index];
      const report = reports[index];
      if (sample.text !== '' || report === undefined || clip?.isPassed !== true) continue;
      const heard = resampled(clip.spoken, cloner.sampleRateHz, JUDGED_RATE_HZ);
      const { text, language = 'unknown' } = await transcriber.transcribe(heard, signal);
      samples[index] = { ...sample, text };
      reports[index] = { ...report, language };
      await store.change(voice.id, { samples, clips: reports }, Date.now());
    }
  }

  /** Keeps what the voice says about itself, after its recordings. */
  async #addSample(id: string, signal: AbortSignal): Promise<void> {
    const { speak, store, files } = this.#deps;
    const voice = await store.find(id);
    if (speak === undefined || voice === undefined) return;
    const spoken = toVoice(voice);
    const file = sampleFile(id, voice.samples.length);
    await files.write(file, await introduce(spoken, speak, signal));
    const sample = { title: voice.title, text: previewText(spoken), file };
    await store.change(id, { samples: [...voice.samples, sample] }, Date.now());
  }

  async #refine(voice: StoredVoice, clips: readonly Clip[], signal: AbortSignal): Promise<void> {
    const { cloner, store } = this.#deps;
    const speech = clips.filter(({ isPassed }) => isPassed).map(({ spoken }) => spoken);
    try {
      for await (const clone of cloner?.refine?.(speech, voice.clone, signal) ?? []) {
        await store.change(voice.id, { clone }, Date.now());
      }
    } finally {
      // What was found last is a voice, whether the search came to its end or not.
      await store.change(voice.id, { state: 'trained' }, Date.now());
    }
  }
}
