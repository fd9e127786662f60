import { ApiError } from '../../../errors.ts';
import { isCloningEngine } from '../../engines/cloning-engine.ts';
import type { AccountCall, ClipReader, ReadTask } from '../intake/clip-reader.ts';
import type { Clip } from '../intake/read-clip.ts';
import { type Recording, toClipReport } from '../intake/read-recordings.ts';
import type { ClipReport } from '../stored-voice.ts';
import type { ClonedVoice, MixPart, VoiceCloner } from '../voice-cloner.ts';
import type { MixedVoice, NewVoice } from './new-voice.ts';
import type { ReferenceClone } from './reference-voices.ts';
import type { RecordingSettings } from './stored-speech.ts';
import type { VoiceRecordings } from './voice-recordings.ts';

export interface CloneCreationDeps {
  /** Absent when no cloning engine is installed. */
  readonly cloner?: VoiceCloner | undefined;
  /** Decodes recordings. Absent when no cloning engine is installed. */
  readonly reader?: ClipReader | undefined;
  /** Absent when no zero-shot engine is installed. */
  readonly recordings?: Pick<VoiceRecordings, 'createFromClips'> | undefined;
  readonly settings: RecordingSettings;
}

/** Creates clones: from recordings, by mixing voices, or from designed voices. Throws `cloning_unavailable`. */
export class CloneCreation {
  readonly #deps: CloneCreationDeps;

  constructor(deps: CloneCreationDeps) {
    this.#deps = deps;
  }

  /** Clones, mixes or takes over a designed voice. */
  async create(
    { recordings, mix, designed }: Pick<NewVoice, 'recordings' | 'mix' | 'designed'>,
    call: AccountCall,
  ): Promise<{ readonly reports: readonly ClipReport[]; readonly clone: ClonedVoice }> {
    const { signal } = call;
    const cloner = this.requireCloner();
    if (mix !== undefined) return { reports: [], clone: await cloner.mix(toMixParts(mix, cloner), signal) };
    if (designed === undefined) {
      const reader = this.#requireReader();
      return reader.inTurn({ ...call, kind: 'creation' }, async () => {
        const clips = await this.#read(recordings, cloner, call);
        const reports = clips.map((clip, index) => toClipReport(clip, recordings[index]?.filename ?? ''));
        return { reports, clone: await cloner.clone(selectUsableSpeech(clips), signal) };
      });
    }
    const [first, ...others] = designed;
    if (first !== undefined && others.length === 0) return { reports: [], clone: first };
    const parts = designed.map(({ engine, vector: voice }) => ({ engine, voice, weight: 1 }));
    return { reports: [], clone: await cloner.mix(parts, signal) };
  }

  /** Clones recordings for a voice that is not stored, with what a zero-shot engine needs. */
  async createUnstored(
    recordings: readonly Recording[],
    call: AccountCall & Pick<ReadTask, 'totalMaxSeconds'>,
  ): Promise<ReferenceClone> {
    const { signal } = call;
    const cloner = this.requireCloner();
    return this.#requireReader().inTurn({ ...call, kind: 'creation' }, async () => {
      const clips = await this.#read(recordings, cloner, call);
      const { sampleRateHz } = cloner;
      const transcribedClips = clips.map((clip, index) => ({
        clip,
        sampleRateHz,
        text: recordings[index]?.text ?? '',
      }));
      const [clone, recording] = await Promise.all([
        cloner.clone(selectUsableSpeech(clips), signal),
        this.#deps.recordings?.createFromClips(transcribedClips, signal),
      ]);
      const durationSeconds = clips.reduce((sum, clip) => sum + clip.durationSeconds, 0);
      return { clone, recording, durationSeconds };
    });
  }

  /** The installed cloner. */
  requireCloner(): VoiceCloner {
    const { cloner } = this.#deps;
    if (cloner !== undefined) return cloner;
    throw createCloningUnavailableError();
  }

  #requireReader(): ClipReader {
    const { reader } = this.#deps;
    if (reader !== undefined) return reader;
    throw createCloningUnavailableError();
  }

  #read(
    recordings: readonly Recording[],
    cloner: VoiceCloner,
    { totalMaxSeconds, ...call }: AccountCall & Pick<ReadTask, 'totalMaxSeconds'>,
  ): Promise<readonly Clip[]> {
    const { settings } = this.#deps;
    const task = {
      sources: recordings.map(({ audio }) => audio.source),
      sampleRateHz: cloner.sampleRateHz,
      speechMinSeconds: settings.voiceSpeechMinSeconds,
      maxSeconds: settings.voiceClipMaxSeconds,
      totalMaxSeconds,
      ffmpegPath: settings.ffmpegPath,
    };
    return this.#requireReader().read(task, call);
  }
}

function createCloningUnavailableError(): ApiError {
  return new ApiError('cloning_unavailable', 'No voice cloning engine is installed on this server.');
}

/** The speech of the usable clips. */
function selectUsableSpeech(clips: readonly Clip[]): readonly Float32Array[] {
  return clips.filter(({ isPassed }) => isPassed).map(({ speechSamples }) => speechSamples);
}

/** Throws `invalid_parameter` for a voice of an engine without speaker vectors. */
function toMixParts(mix: readonly MixedVoice[], cloner: VoiceCloner): readonly MixPart[] {
  return mix.map(({ voice: { engine, vector, engineVoice, pitchCorrection, title }, weight }) => {
    if (engine === cloner.engine || isCloningEngine(engine)) {
      return { engine, voice: vector ?? Number(engineVoice), pitchCorrection, weight };
    }
    throw new ApiError(
      'invalid_parameter',
      `The voice “${title}” cannot be mixed: only cloned voices and the numbered speakers can be mixed.`,
    );
  });
}
