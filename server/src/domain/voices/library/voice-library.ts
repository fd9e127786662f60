import { ApiError } from '../../../errors.ts';
import { isRefinedAutomatically, type VoiceRefinementMode } from '../../engines/cloning-engine.ts';
import type { FileStore } from '../file-store.ts';
import type { AccountCall, ClipReader, ReadTask } from '../intake/clip-reader.ts';
import type { Recording } from '../intake/read-recordings.ts';
import type { RefinementState, StoredVoice, Visibility, VoiceChanges } from '../stored-voice.ts';
import { withTimeLimit } from '../time-limit.ts';
import type { Voice } from '../voice.ts';
import type { ClipTranscriber, VoiceCloner } from '../voice-cloner.ts';
import { coverFile, folderOf, sampleFile } from '../voice-files.ts';
import { toVoice } from '../voice-from-clone.ts';
import { TRAINING_LEASE_MS, type VoiceFilter, type VoiceStore } from '../voice-store.ts';
import { CloneCreation } from './clone-creation.ts';
import { type NewVoice, toStoredVoice, type VoiceOwner } from './new-voice.ts';
import type { ReferenceClone } from './reference-voices.ts';
import { assertOwned, assertVisible, canUse } from './voice-access.ts';
import type { SpeakSample } from './voice-previews.ts';
import { createVoiceLimitError, VoiceQuota } from './voice-quota.ts';
import type { VoiceRecordings } from './voice-recordings.ts';
import { VoiceRefinements } from './voice-refinements.ts';
import { type MeterTranscript, VoiceTraining, type VoiceTrainingSettings } from './voice-training.ts';
import { VoiceUses } from './voice-uses.ts';

export interface CreationOptions {
  /** Aborts the creation. */
  readonly signal: AbortSignal;
  /** Charges the transcripts of the recordings. */
  readonly meterTranscript: MeterTranscript;
}

/** A voice that an account may use, before its recording is decoded. */
export interface SpeakableVoice {
  /** Without a reference recording. */
  readonly voice: Voice;
  /** The voice with its reference recording, if it has one and a zero-shot engine is installed. */
  load(call: AccountCall): Promise<Voice>;
}

/** Changes of a voice by a client. */
export interface VoiceEdit {
  readonly referenceName?: string;
  readonly title?: string;
  readonly description?: string;
  readonly visibility?: Visibility;
  readonly tags?: readonly string[];
  readonly cover?: Uint8Array;
}

export interface VoiceLibraryDeps {
  readonly store: VoiceStore;
  readonly files: FileStore;
  /** Whether other servers use the same store. */
  readonly isShared?: boolean | undefined;
  /** Absent when no cloning engine is installed: voices can then be used, but not created. */
  readonly cloner?: VoiceCloner | undefined;
  /** Decodes recordings. Absent when no cloning engine is installed. */
  readonly reader?: ClipReader | undefined;
  /** Absent on a server without transcription. */
  readonly transcriber?: ClipTranscriber | undefined;
  /** Absent when no zero-shot engine is installed. */
  readonly recordings?: Pick<VoiceRecordings, 'find' | 'createFromClips' | 'forget'> | undefined;
  /** Called while the recordings of a new voice arrive, and before they are decoded, so that workers can be prepared meanwhile. */
  readonly onCreationStart?: ((signal: AbortSignal) => void) | undefined;
  /** Absent on a server without speech synthesis. */
  readonly speak?: SpeakSample | undefined;
  readonly settings: VoiceLibrarySettings;
  /** Records an event in the audit log. */
  readonly audit: (event: VoiceEvent) => Promise<void>;
  /** Called when a background task failed. */
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

export interface VoiceLibrarySettings extends VoiceTrainingSettings {
  readonly voiceCreationMaxSeconds: number;
  /** Maximum number of voices of an account. */
  readonly voicesMax: number;
  readonly voiceRefinement: VoiceRefinementMode;
}

/** An event for the audit log. */
export interface VoiceEvent {
  readonly action: 'voice.create' | 'voice.change' | 'voice.delete';
  readonly owner: VoiceOwner;
  readonly voiceId: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The voice library: voices created by users, with access control. */
export class VoiceLibrary {
  readonly #deps: VoiceLibraryDeps;
  readonly #refinements: VoiceRefinements;
  readonly #training: VoiceTraining;
  readonly #quota: VoiceQuota;
  readonly #clones: CloneCreation;
  readonly #uses: VoiceUses;
  #settling: NodeJS.Timeout | undefined;

  constructor(deps: VoiceLibraryDeps) {
    this.#deps = deps;
    this.#quota = new VoiceQuota(deps.store, deps.settings.voicesMax);
    this.#clones = new CloneCreation(deps);
    this.#uses = new VoiceUses(deps);
    this.#refinements = new VoiceRefinements(deps);
    this.#training = new VoiceTraining({ ...deps, refinements: this.#refinements });
  }

  /** Continues refinements that a stop of the server interrupted. */
  async start(): Promise<void> {
    const { store, isShared = false } = this.#deps;
    await store.settleTraining(Date.now(), isShared ? 'expired' : 'all');
    this.#refinements.start();
    if (!isShared) return;
    const settle = () =>
      void store
        .settleTraining(Date.now(), 'expired')
        .catch((error: unknown) => this.#deps.onProblem('', error));
    this.#settling = setInterval(settle, TRAINING_LEASE_MS).unref();
  }

  /** Discards what is cached of a voice that another server has changed. If it was deleted, stops its training. */
  async refresh(id: string): Promise<void> {
    this.#deps.recordings?.forget(id);
    if ((await this.#deps.store.find(id)) !== undefined) return;
    await this.#stopTasks(id);
    await this.#deps.files.forget(folderOf(id));
  }

  /** Removes copies of files of voices that other servers have deleted. */
  forgetRemoved(): Promise<void> {
    return this.#deps.files.forgetRemoved();
  }

  /** Aborts background tasks. The voices remain as they are. */
  async close(): Promise<void> {
    clearInterval(this.#settling);
    await Promise.all([this.#training.close(), this.#refinements.close(), this.#uses.write()]);
  }

  /** Whether new clones are refined automatically, or only if their creation asks for it. */
  get refinementMode(): VoiceRefinementMode {
    const { cloner, settings } = this.#deps;
    return cloner !== undefined && isRefinedAutomatically(cloner.engine)
      ? settings.voiceRefinement
      : 'on_request';
  }

  /** Prepares the workers for a creation whose recordings are arriving. */
  prepareCreation(signal: AbortSignal): void {
    if (this.#deps.cloner !== undefined) this.#deps.onCreationStart?.(signal);
  }

  /**
   * Creates a voice from recordings, or by mixing, and stores it when it is usable. On failure nothing is stored. Throws
   * `cloning_unavailable`, `engine_unavailable`, `invalid_audio` and other errors of decoding, `unusable_recording` when no
   * recording is usable, `invalid_parameter` for voices that cannot be mixed, `reference_exists`, or `voice_limit`.
   */
  create(owner: VoiceOwner, input: NewVoice, options: CreationOptions): Promise<StoredVoice> {
    return this.#quota.reserve(owner.accountId, () => this.#create(owner, input, options));
  }

  async #create(
    owner: VoiceOwner,
    input: NewVoice,
    { signal, meterTranscript }: CreationOptions,
  ): Promise<StoredVoice> {
    const cloner = this.#clones.requireCloner();
    await this.#assertNameIsFree(owner.accountId, input.referenceName);
    this.#deps.onCreationStart?.(signal);
    const limit = {
      seconds: this.#deps.settings.voiceCreationMaxSeconds,
      operation: 'The creation of this voice',
      signal,
    };
    const { accountId } = owner;
    const { reports, clone } = await withTimeLimit(limit, (within) =>
      this.#clones.create(input, { accountId, signal: within }),
    );
    const refinement = this.#chooseRefinement(input, cloner);
    const voice = toStoredVoice(owner, input, { reports, clone, cloner, refinement });
    await this.#write(voice, input, signal);
    await this.#deps.audit({
      action: 'voice.create',
      owner,
      voiceId: voice.id,
      facts: {
        hasConsentStatement: input.consentStatement !== '',
        recordings: reports.length,
        ...(input.mix !== undefined && { mixed: input.mix.map((part) => part.voice.id) }),
        cloner: voice.cloner,
      },
    });
    this.#training.start(voice, { isSampled: input.isSampled ?? false, meterTranscript });
    if (refinement === 'pending') this.#refinements.wake();
    return this.#require(voice.id);
  }

  /** Throws `model_not_found` or `not_yours` unless the account may see it. */
  async find(id: string, accountId: string | undefined): Promise<StoredVoice> {
    await this.#uses.write();
    return assertVisible(await this.#deps.store.find(id), accountId);
  }

  /** The voice of the account with this reference name. Throws `model_not_found`. */
  async findNamed(accountId: string, referenceName: string): Promise<StoredVoice> {
    const voice = await this.#deps.store.findNamed(accountId, referenceName);
    if (voice === undefined) throw new ApiError('model_not_found', 'Reference not found');
    return voice;
  }

  /** The reference names of the account. */
  referenceNames(accountId: string): Promise<readonly string[]> {
    return this.#deps.store.referenceNames(accountId);
  }

  async list(filter: VoiceFilter, limit: number): Promise<{ voices: readonly StoredVoice[]; total: number }> {
    await this.#uses.write();
    return this.#deps.store.list(filter, limit);
  }

  /** Increments use counts in the background. */
  countUses(voiceIds: readonly string[]): void {
    this.#uses.count(voiceIds);
  }

  /** Use counts of stored and built-in voices. */
  async uses(): Promise<ReadonlyMap<string, number>> {
    await this.#uses.write();
    return this.#deps.store.uses();
  }

  async change(owner: VoiceOwner, id: string, edit: VoiceEdit): Promise<StoredVoice> {
    const voice = assertOwned(await this.#deps.store.find(id), owner.accountId);
    await this.#assertNameIsFree(owner.accountId, edit.referenceName);
    const { cover, ...fields } = edit;
    const changes: VoiceChanges = { ...fields, ...(cover !== undefined && { coverFile: coverFile(id) }) };
    if (cover !== undefined) await this.#deps.files.write(coverFile(id), cover);
    await this.#deps.store.change(voice.id, changes, Date.now());
    await this.#deps.audit({
      action: 'voice.change',
      owner,
      voiceId: id,
      facts: { fields: Object.keys(edit) },
    });
    return this.#require(id);
  }

  /** Deletes a voice and its files. */
  async remove(owner: VoiceOwner, id: string): Promise<void> {
    assertOwned(await this.#deps.store.find(id), owner.accountId);
    await this.#erase(id);
    await this.#deps.audit({ action: 'voice.delete', owner, voiceId: id, facts: {} });
  }

  /** Deletes all voices of an account. */
  async deleteAccount(accountId: string): Promise<void> {
    const { voices } = await this.#deps.store.list({ ownedBy: accountId, tags: [], languages: [] }, ALL);
    for (const { id } of voices) await this.#erase(id);
  }

  /** The path of a recording or of the cover of a visible voice. Throws `model_not_found` when there is none. */
  async filePath(id: string, accountId: string | undefined, which: number | 'cover'): Promise<string> {
    const voice = await this.find(id, accountId);
    const name = which === 'cover' ? voice.coverFile : voice.samples[which]?.file;
    const path = name === undefined ? undefined : await this.#deps.files.locate(name);
    if (path === undefined) throw new ApiError('model_not_found', 'This voice has no such file.');
    return path;
  }

  /** The voice with this id or reference name, for synthesis. Undefined when the account may not use it. */
  async findSpeakable(idOrName: string, accountId: string): Promise<SpeakableVoice | undefined> {
    const { store } = this.#deps;
    const stored = (await store.find(idOrName)) ?? (await store.findNamed(accountId, idOrName));
    if (stored === undefined || !canUse(stored, accountId)) return undefined;
    const voice = toVoice(stored);
    return {
      voice,
      load: async (call) => ({ ...voice, recording: await this.#deps.recordings?.find(stored, call) }),
    };
  }

  /** Clones a voice from recordings without storing anything. The caller limits the time. */
  async cloneUnstored(
    recordings: readonly Recording[],
    call: AccountCall & Pick<ReadTask, 'totalMaxSeconds'>,
  ): Promise<ReferenceClone> {
    this.#clones.requireCloner();
    this.#deps.onCreationStart?.(call.signal);
    return this.#clones.createUnstored(recordings, call);
  }

  #chooseRefinement({ isRefined, mix, designed }: NewVoice, cloner: VoiceCloner): RefinementState {
    if (mix !== undefined || designed !== undefined || cloner.refine === undefined) return 'none';
    return isRefined || this.refinementMode === 'automatic' ? 'pending' : 'none';
  }

  async #stopTasks(id: string): Promise<void> {
    await Promise.all([this.#training.stop(id), this.#refinements.stop(id)]);
  }

  async #erase(id: string): Promise<void> {
    await this.#stopTasks(id);
    await this.#deps.store.remove(id);
    await this.#deps.files.remove(folderOf(id));
    this.#deps.recordings?.forget(id);
  }

  async #assertNameIsFree(accountId: string, name: string | undefined): Promise<void> {
    if (name === undefined || (await this.#deps.store.findNamed(accountId, name)) === undefined) return;
    throw createReferenceExistsError(name);
  }

  async #write(voice: StoredVoice, input: NewVoice, signal: AbortSignal): Promise<void> {
    const { files, store, settings } = this.#deps;
    try {
      for (const [index, { audio }] of input.recordings.entries()) {
        await files.write(sampleFile(voice.id, index), audio.read());
      }
      if (input.cover !== undefined) await files.write(coverFile(voice.id), input.cover);
      // The client of an aborted request would not know the id.
      signal.throwIfAborted();
      const isAdded = await store.add(voice, settings.voicesMax);
      if (!isAdded) throw createVoiceLimitError(settings.voicesMax);
    } catch (error) {
      await files.remove(folderOf(voice.id));
      // A concurrent request may have taken the name.
      await this.#assertNameIsFree(voice.accountId, voice.referenceName);
      throw error;
    }
  }

  async #require(id: string): Promise<StoredVoice> {
    const voice = await this.#deps.store.find(id);
    if (voice === undefined) throw new ApiError('model_not_found', 'Model not found');
    return voice;
  }
}

/** The error for a reference name that is in use. */
export function createReferenceExistsError(name: string): ApiError {
  return new ApiError('reference_exists', `Reference ID '${name}' already exists`);
}

const ALL = Number.MAX_SAFE_INTEGER;
