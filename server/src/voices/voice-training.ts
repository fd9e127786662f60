import { JUDGED_RATE_HZ } from './intake/clip-frames.ts';
import { type Clip, resampled } from './intake/read-clip.ts';
import type { KeptVoice } from './kept-voice.ts';
import type { ClipTranscriber, VoiceCloner } from './voice-cloner.ts';
import type { VoiceStore } from './voice-store.ts';

export interface VoiceTrainingDeps {
  readonly store: VoiceStore;
  readonly cloner?: VoiceCloner | undefined;
  readonly transcriber?: ClipTranscriber | undefined;
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

/** What is done for a voice after it was answered for: hearing what is said in it, and coming closer to the person. */
export class VoiceTraining {
  readonly #deps: VoiceTrainingDeps;
  readonly #running = new Map<string, { readonly stopper: AbortController; readonly done: Promise<void> }>();

  constructor(deps: VoiceTrainingDeps) {
    this.#deps = deps;
  }

  /** Starts what the voice needs, and returns at once. */
  begin(voice: KeptVoice, clips: readonly Clip[]): void {
    const stopper = new AbortController();
    const done = this.#train(voice, clips, stopper.signal)
      .catch((error: unknown) => {
        if (!stopper.signal.aborted) this.#deps.onProblem(voice.id, error);
      })
      .finally(() => this.#running.delete(voice.id));
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

  async #train(voice: KeptVoice, clips: readonly Clip[], signal: AbortSignal): Promise<void> {
    try {
      await this.#transcribe(voice, clips, signal);
    } catch (error) {
      // A voice can do without its texts.
      signal.throwIfAborted();
      this.#deps.onProblem(voice.id, error);
    }
    if (voice.state === 'training') await this.#refine(voice, clips, signal);
  }

  /** Fills in the texts that the client did not send. */
  async #transcribe(voice: KeptVoice, clips: readonly Clip[], signal: AbortSignal): Promise<void> {
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

  async #refine(voice: KeptVoice, clips: readonly Clip[], signal: AbortSignal): Promise<void> {
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
