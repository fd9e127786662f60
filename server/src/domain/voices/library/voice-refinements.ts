import { isRefinedByTranscript } from '../../engines/cloning-engine.ts';
import type { TranscribedSpeech } from '../../engines/voice-search.ts';
import { withFirstSimilarity } from '../clone-similarity.ts';
import type { FileStore } from '../file-store.ts';
import type { ClipReader } from '../intake/clip-reader.ts';
import { type ClaimedRefinement, REFINEMENT_LEASE_MS } from '../refinement-queue.ts';
import type { StoredVoice } from '../stored-voice.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { ClipTranscriber, VoiceCloner } from '../voice-cloner.ts';
import type { VoiceStore } from '../voice-store.ts';
import { transcribeExcerpt } from './refinement-excerpt.ts';
import { type RecordedSpeech, type RecordingSettings, StoredSpeech } from './stored-speech.ts';

/** A refinement that has failed this often is not repeated. */
const ATTEMPTS_MAX = 3;

export interface VoiceRefinementsDeps {
  readonly store: VoiceStore;
  readonly files: FileStore;
  readonly cloner?: VoiceCloner | undefined;
  readonly reader?: ClipReader | undefined;
  /** Absent on a server without transcription. */
  readonly transcriber?: ClipTranscriber | undefined;
  readonly settings: RecordingSettings & { readonly voiceTrainingMaxSeconds: number };
  /** Called when a refinement failed. */
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

interface RunningRefinement {
  readonly voiceId: string;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * Refines pending voices in the background, one at a time. The queue is in the store: a refinement that a stop of the
 * server interrupted starts again.
 */
export class VoiceRefinements {
  readonly #deps: VoiceRefinementsDeps;
  readonly #waiters = new Map<string, (() => void)[]>();
  #running: RunningRefinement | undefined;
  #loop: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(deps: VoiceRefinementsDeps) {
    this.#deps = deps;
  }

  /** Starts pending refinements, now and whenever the lease of one has expired. */
  start(): void {
    this.#poll = setInterval(() => this.wake(), REFINEMENT_LEASE_MS / 2).unref();
    this.wake();
  }

  /** Looks for a pending refinement, unless one is running; then it looks afterwards. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isClosed || this.#deps.cloner?.refine === undefined || this.#deps.reader === undefined) return;
    this.#loop ??= this.#run().finally(() => {
      this.#loop = undefined;
    });
  }

  isRunning(id: string): boolean {
    return this.#running?.voiceId === id;
  }

  /** Resolves when this server has ended an attempt to refine the voice, or no refinement is pending. */
  async whenEnded(id: string, signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), resolve]);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const voice = await this.#deps.store.find(id);
    if (voice?.refinement === 'pending' && !signal.aborted) await ended;
    this.#waiters.delete(id);
  }

  /** Aborts the refinement of a voice. */
  async stop(id: string): Promise<void> {
    const running = this.#running;
    if (running?.voiceId !== id) return;
    running.controller.abort(new Error('The voice was deleted.'));
    await running.done;
  }

  /** Aborts the running refinement, which remains pending. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#poll);
    this.#running?.controller.abort(new ServerStopError());
    await this.#loop;
  }

  async #run(): Promise<void> {
    let lastAccountId: string | undefined;
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      try {
        const claimed = await this.#deps.store.claimRefinement(REFINEMENT_LEASE_MS, lastAccountId);
        if (claimed === undefined) continue;
        this.#isWoken = true;
        lastAccountId = claimed.voice.accountId;
        await this.#runClaimed(claimed);
      } catch (error) {
        this.#deps.onProblem('', error);
      }
    }
  }

  async #runClaimed({ voice, attempt }: ClaimedRefinement): Promise<void> {
    const controller = new AbortController();
    const done = this.#refineWithLease(voice, attempt, controller);
    this.#running = { voiceId: voice.id, controller, done };
    try {
      await done;
    } finally {
      this.#running = undefined;
      for (const resolve of this.#waiters.get(voice.id) ?? []) resolve();
      this.#waiters.delete(voice.id);
    }
  }

  async #refineWithLease(voice: StoredVoice, attempt: number, controller: AbortController): Promise<void> {
    const { store, settings, onProblem } = this.#deps;
    const { signal } = controller;
    const renewal = setInterval(
      () => void this.#renew(voice.id, controller),
      REFINEMENT_LEASE_MS / 6,
    ).unref();
    const limit = { seconds: settings.voiceTrainingMaxSeconds, operation: 'The refinement', signal };
    try {
      await withTimeLimit(limit, (within) => this.#refine(voice, within));
    } catch (error) {
      if (signal.reason instanceof ServerStopError) await store.releaseRefinement(voice.id);
      if (signal.aborted) return;
      onProblem(voice.id, error);
      // Otherwise it is repeated when the lease has expired.
      if (attempt >= ATTEMPTS_MAX) await this.#settle(voice.id, 'failed');
    } finally {
      clearInterval(renewal);
    }
  }

  async #refine(voice: StoredVoice, signal: AbortSignal): Promise<void> {
    const { cloner, reader, store, files, settings } = this.#deps;
    if (cloner?.refine === undefined || reader === undefined) return;
    // The setting has changed: the cloner cannot refine a voice of another engine.
    if (voice.clone.engine !== cloner.engine) return this.#settle(voice.id, 'none');
    const { accountId, samples, clone: first } = voice;
    const { sampleRateHz } = cloner;
    const stored = new StoredSpeech(files, reader, settings);
    const recordings = await stored.read(samples, { accountId, sampleRateHz, signal });
    const clips = recordings.map((recording) => recording.samples);
    const excerpt = await this.#excerptOf(voice.id, recordings[0], signal);
    for await (const refined of cloner.refine(clips, { from: first, excerpt }, signal)) {
      signal.throwIfAborted();
      await store.change(voice.id, { clone: withFirstSimilarity(refined, first) }, Date.now());
    }
    await this.#settle(voice.id, 'done');
  }

  /** A transcribed part of a recording. A refinement is possible without one, so errors are only reported. */
  async #excerptOf(
    voiceId: string,
    recording: RecordedSpeech | undefined,
    signal: AbortSignal,
  ): Promise<TranscribedSpeech | undefined> {
    const { cloner, transcriber, onProblem } = this.#deps;
    if (recording === undefined || cloner === undefined) return undefined;
    if (!isRefinedByTranscript(cloner.engine)) return undefined;
    try {
      return await transcribeExcerpt(recording, { sampleRateHz: cloner.sampleRateHz, transcriber, signal });
    } catch (error) {
      signal.throwIfAborted();
      onProblem(voiceId, error);
      return undefined;
    }
  }

  async #settle(id: string, refinement: 'none' | 'done' | 'failed'): Promise<void> {
    await this.#deps.store.change(id, { refinement, state: 'trained' }, Date.now());
  }

  /** Aborts the refinement of a voice that another server has deleted. A failed renewal is repeated. */
  async #renew(id: string, controller: AbortController): Promise<void> {
    const isStored = await this.#deps.store.renewRefinement(id, REFINEMENT_LEASE_MS).catch(() => true);
    if (!isStored) controller.abort(new Error('The voice was deleted.'));
  }
}

class ServerStopError extends Error {}
