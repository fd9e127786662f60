import { randomBytes } from 'node:crypto';
import { ApiError } from '../../../errors.ts';
import { VOICE_DESIGN } from '../design/described-voice.ts';
import type { FileStore } from '../file-store.ts';
import type { Clip } from '../intake/read-clip.ts';
import { type Recording, readRecordings, toClipReport } from '../intake/read-recordings.ts';
import { toVoice } from '../spoken-voice.ts';
import type { StoredVoice, Visibility, VoiceChanges } from '../stored-voice.ts';
import { withinTime } from '../time-limit.ts';
import type { Voice } from '../voice.ts';
import type { ClipTranscriber, ClonedVoice, MixPart, VoiceCloner } from '../voice-cloner.ts';
import { coverFile, folderOf, sampleFile } from '../voice-files.ts';
import type { VoiceFilter, VoiceStore } from '../voice-store.ts';
import type { FoundVoice } from './reference-voices.ts';
import { assertOwned, assertVisible, mayUse } from './voice-access.ts';
import type { SpeakSample } from './voice-previews.ts';
import type { VoiceRecordings } from './voice-recordings.ts';
import { VoiceTraining, type VoiceTrainingSettings } from './voice-training.ts';

/** Who does something to a voice. */
export interface VoiceOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** The network address it comes from. */
  readonly source: string;
}

/** What a client says about a new voice. */
export interface NewVoice {
  /** A name to speak with it by, which no other voice of the account may have. */
  readonly referenceName?: string;
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly tags: readonly string[];
  /** What it is made from, unless it is mixed. */
  readonly recordings: readonly Recording[];
  /** Voices the account may use, to be blended into this one. */
  readonly mix?: readonly MixedVoice[] | undefined;
  /** Voices that were made up here, one for each recording; the recordings are then only kept. */
  readonly designed?: readonly ClonedVoice[] | undefined;
  readonly cover: Uint8Array | undefined;
  /** Refined beyond what a clone is at first, in the background. */
  readonly isRefined: boolean;
  /** Whether the voice says something when it is done, which is kept as a sample. */
  readonly isSampled?: boolean;
  readonly consentStatement: string;
}

/** A voice that goes into a blend; only the ratios of the weights count. */
export interface MixedVoice {
  readonly voice: Voice;
  readonly weight: number;
}

/** What a client changes of a voice. */
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
  /** Absent where no cloning engine is installed: voices can then be kept and used, but not made. */
  readonly cloner?: VoiceCloner | undefined;
  /** Absent on a server that cannot hear. */
  readonly transcriber?: ClipTranscriber | undefined;
  /** Absent where no engine speaks like a recording. */
  readonly recordings?: Pick<VoiceRecordings, 'of' | 'from' | 'forget'> | undefined;
  /** Told when recordings of a new voice are about to be read, so that what comes next is ready by then. */
  readonly onMaking?: ((signal: AbortSignal) => void) | undefined;
  /** Absent on a server that does not speak. */
  readonly speak?: SpeakSample | undefined;
  readonly settings: VoiceLibrarySettings;
  /** Writes down who did what to a voice. */
  readonly audit: (event: VoiceEvent) => Promise<void>;
  /** Hears of background work that failed. */
  readonly onProblem: (voiceId: string, error: unknown) => void;
}

export interface VoiceLibrarySettings extends VoiceTrainingSettings {
  readonly voiceMakingMaxSeconds: number;
  readonly voiceClipMaxSeconds: number;
  readonly voiceSpeechMinSeconds: number;
  readonly ffmpegPath: string;
}

/** Something that was done to a voice. */
export interface VoiceEvent {
  readonly action: 'voice.create' | 'voice.change' | 'voice.delete';
  readonly owner: VoiceOwner;
  readonly voiceId: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The voices that people make: created, seen, changed, used and deleted by those who may. */
export class VoiceLibrary {
  readonly #deps: VoiceLibraryDeps;
  readonly #training: VoiceTraining;

  constructor(deps: VoiceLibraryDeps) {
    this.#deps = deps;
    this.#training = new VoiceTraining(deps);
  }

  /** Tidies up after a server that stopped in the middle of its work. */
  async start(): Promise<void> {
    await this.#deps.store.settleTraining(Date.now());
  }

  /** Waits for nothing: what is unfinished is given up, and the voices stay as they are. */
  async close(): Promise<void> {
    await this.#training.close();
  }

  /**
   * Judges the recordings, or takes the voices that are to be mixed, and makes a voice that can be used at once.
   * Nothing is kept when it fails or takes too long: throws `cloning_unavailable`, `engine_unavailable`, `invalid_audio` and its kin, `unusable_recording`
   * when no recording will do, `invalid_parameter` for voices that cannot be mixed, or `reference_exists` when its
   * name is taken.
   */
  async create(owner: VoiceOwner, input: NewVoice, signal: AbortSignal): Promise<StoredVoice> {
    const cloner = this.#requireCloner();
    await this.#assertNameIsFree(owner.accountId, input.referenceName);
    this.#deps.onMaking?.(signal);
    const limit = { seconds: this.#deps.settings.voiceMakingMaxSeconds, what: 'Making this voice', signal };
    const { clips, clone } = await withinTime(limit, (within) => this.#make(input, cloner, within));
    const voice = toKeptVoice(owner, input, { clips, clone, cloner });
    await this.#write(voice, input, signal);
    await this.#deps.audit({
      action: 'voice.create',
      owner,
      voiceId: voice.id,
      facts: {
        consentStatement: input.consentStatement,
        recordings: clips.length,
        ...(input.mix !== undefined && { mixed: input.mix.map((part) => part.voice.id) }),
        cloner: voice.cloner,
      },
    });
    this.#training.begin(voice, clips, { isSampled: input.isSampled ?? false });
    return this.#require(voice.id);
  }

  /** Throws `model_not_found` or `not_yours` unless the account may see it. */
  async find(id: string, accountId: string | undefined): Promise<StoredVoice> {
    return assertVisible(await this.#deps.store.find(id), accountId);
  }

  /** The voice that the account calls so. Throws `model_not_found`. */
  async findNamed(accountId: string, referenceName: string): Promise<StoredVoice> {
    const voice = await this.#deps.store.findNamed(accountId, referenceName);
    if (voice === undefined) throw new ApiError('model_not_found', 'Reference not found');
    return voice;
  }

  /** What the account calls its voices. */
  referenceNames(accountId: string): Promise<readonly string[]> {
    return this.#deps.store.referenceNames(accountId);
  }

  list(filter: VoiceFilter, limit: number): Promise<{ voices: readonly StoredVoice[]; total: number }> {
    return this.#deps.store.list(filter, limit);
  }

  /** Notes that voices have spoken, without keeping anybody waiting. */
  countUses(voiceIds: readonly string[]): void {
    for (const id of voiceIds) {
      this.#deps.store.countUse(id).catch((error: unknown) => this.#deps.onProblem(id, error));
    }
  }

  /** How often voices have spoken, kept and built-in ones. */
  uses(): Promise<ReadonlyMap<string, number>> {
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

  /** Removes the voice with its recordings; its id is unknown from then on. */
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

  /** A recording or the cover of a voice the account may see. Throws `model_not_found` when there is none. */
  async file(id: string, accountId: string | undefined, which: number | 'cover'): Promise<Uint8Array> {
    const voice = await this.find(id, accountId);
    const name = which === 'cover' ? voice.coverFile : voice.samples[which]?.file;
    const bytes = name === undefined ? undefined : await this.#deps.files.read(name);
    if (bytes === undefined) throw new ApiError('model_not_found', 'This voice has no such file.');
    return bytes;
  }

  /** The voice as it is spoken with, by its id or the account's name for it. Undefined when it is not for this account. */
  async speakable(idOrName: string, accountId: string): Promise<Voice | undefined> {
    const { store } = this.#deps;
    const voice = (await store.find(idOrName)) ?? (await store.findNamed(accountId, idOrName));
    if (voice === undefined || !mayUse(voice, accountId)) return undefined;
    return { ...toVoice(voice), recording: await this.#deps.recordings?.of(voice) };
  }

  /** Finds the voice in recordings that are not kept. */
  async cloneOnce(recordings: readonly Recording[], signal: AbortSignal): Promise<FoundVoice> {
    const cloner = this.#requireCloner();
    this.#deps.onMaking?.(signal);
    const limit = { seconds: this.#deps.settings.voiceMakingMaxSeconds, what: 'Finding this voice', signal };
    return withinTime(limit, async (within) => {
      const clips = await this.#read(recordings, cloner, within);
      const { sampleRateHz } = cloner;
      const heard = clips.map((clip, index) => ({ clip, sampleRateHz, text: recordings[index]?.text ?? '' }));
      const [clone, recording] = await Promise.all([
        cloner.clone(usable(clips), within),
        this.#deps.recordings?.from(heard, within),
      ]);
      return { clone, recording };
    });
  }

  /** The voice, and what it was made from. */
  async #make(
    { recordings, mix, designed }: NewVoice,
    cloner: VoiceCloner,
    signal: AbortSignal,
  ): Promise<{ readonly clips: readonly Clip[]; readonly clone: ClonedVoice }> {
    if (mix !== undefined) return { clips: [], clone: await cloner.mix(toMixParts(mix, cloner), signal) };
    if (designed === undefined) {
      const clips = await this.#read(recordings, cloner, signal);
      return { clips, clone: await cloner.clone(usable(clips), signal) };
    }
    const [only, ...others] = designed;
    if (only !== undefined && others.length === 0) return { clips: [], clone: only };
    const parts = designed.map(({ vector: voice }) => ({ voice, weight: 1 }));
    return { clips: [], clone: await cloner.mix(parts, signal) };
  }

  async #erase(id: string): Promise<void> {
    await this.#training.stop(id);
    await this.#deps.store.remove(id);
    await this.#deps.files.remove(folderOf(id));
    this.#deps.recordings?.forget(id);
  }

  async #assertNameIsFree(accountId: string, name: string | undefined): Promise<void> {
    if (name === undefined || (await this.#deps.store.findNamed(accountId, name)) === undefined) return;
    throw referenceExists(name);
  }

  #requireCloner(): VoiceCloner {
    const { cloner } = this.#deps;
    if (cloner !== undefined) return cloner;
    throw new ApiError('cloning_unavailable', 'No voice cloning engine is installed on this server.');
  }

  #read(
    recordings: readonly Recording[],
    cloner: VoiceCloner,
    signal: AbortSignal,
  ): Promise<readonly Clip[]> {
    const { settings } = this.#deps;
    return readRecordings(recordings, {
      sampleRateHz: cloner.sampleRateHz,
      speechMinSeconds: settings.voiceSpeechMinSeconds,
      maxSeconds: settings.voiceClipMaxSeconds,
      ffmpegPath: settings.ffmpegPath,
      signal,
    });
  }

  async #write(voice: StoredVoice, input: NewVoice, signal: AbortSignal): Promise<void> {
    const { files, store } = this.#deps;
    try {
      for (const [index, { audio }] of input.recordings.entries()) {
        await files.write((voice.samples[index] as { file: string }).file, audio.read());
      }
      if (input.cover !== undefined) await files.write(coverFile(voice.id), input.cover);
      // Whoever left will not know of it.
      signal.throwIfAborted();
      await store.add(voice);
    } catch (error) {
      await files.remove(folderOf(voice.id));
      // Another request may have taken the name meanwhile.
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

/** The refusal of a name that a voice has already. */
export function referenceExists(name: string): ApiError {
  return new ApiError('reference_exists', `Reference ID '${name}' already exists`);
}

const ALL = Number.MAX_SAFE_INTEGER;

/** The speech of the clips that passed. */
function usable(clips: readonly Clip[]): readonly Float32Array[] {
  return clips.filter(({ isPassed }) => isPassed).map(({ spoken }) => spoken);
}

/** Throws `invalid_parameter` for a voice that another engine speaks. */
function toMixParts(mix: readonly MixedVoice[], { engine }: VoiceCloner): readonly MixPart[] {
  return mix.map(({ voice, weight }) => {
    if (voice.engine === engine) {
      return { voice: voice.vector ?? Number(voice.engineVoice), melody: voice.melody, weight };
    }
    const which = `only cloned voices and those of the engine ${engine} can`;
    throw new ApiError('invalid_parameter', `The voice “${voice.title}” cannot be mixed: ${which}.`);
  });
}

/** The languages of a clone are those of its engine, which so far is English. */
const CLONE_LANGUAGES = ['en'];

function toKeptVoice(
  owner: VoiceOwner,
  input: NewVoice,
  made: { readonly clips: readonly Clip[]; readonly clone: ClonedVoice; readonly cloner: VoiceCloner },
): StoredVoice {
  const id = randomBytes(16).toString('hex');
  const atMs = Date.now();
  const isCloned = input.mix === undefined && input.designed === undefined;
  return {
    id,
    accountId: owner.accountId,
    authorName: '',
    referenceName: input.referenceName,
    title: input.title,
    description: input.description,
    visibility: input.visibility,
    state: isCloned && input.isRefined && made.cloner.refine !== undefined ? 'training' : 'trained',
    tags: input.tags,
    languages: CLONE_LANGUAGES,
    coverFile: input.cover === undefined ? undefined : coverFile(id),
    samples: input.recordings.map(({ filename, text }, index) => ({
      title: filename,
      text: text ?? '',
      file: sampleFile(id, index),
    })),
    clips: made.clips.map((clip, index) => toClipReport(clip, input.recordings[index]?.filename ?? '')),
    clone: made.clone,
    cloner: input.designed === undefined ? made.cloner.name : VOICE_DESIGN,
    consent: {
      accountId: owner.accountId,
      keyId: owner.keyId,
      atMs,
      statement: input.consentStatement,
    },
    createdAtMs: atMs,
    updatedAtMs: atMs,
    taskCount: 0,
  };
}
