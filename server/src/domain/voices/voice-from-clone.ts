import type { StoredVoice } from './stored-voice.ts';
import type { Voice } from './voice.ts';
import type { ClonedVoice } from './voice-cloner.ts';

/** A stored voice in the form that speech synthesis accepts. */
export function toVoice(voice: StoredVoice): Voice {
  return voiceFromClone(voice.clone, {
    id: voice.id,
    name: voice.id,
    title: voice.title,
    description: voice.description,
    tags: voice.tags,
    isListed: voice.visibility === 'public',
    createdAtMs: voice.createdAtMs,
  });
}

/** A clone in the form that speech synthesis accepts. */
export function voiceFromClone(
  clone: ClonedVoice,
  facts: Pick<Voice, 'id' | 'name' | 'title' | 'description' | 'tags' | 'isListed' | 'createdAtMs'>,
): Voice {
  return {
    ...facts,
    engine: clone.engine,
    engineVoice: facts.id,
    vector: clone.vector,
    pitchCorrection: clone.pitchCorrection,
    language: 'en-US',
    locale: 'en-US',
    gender: clone.gender,
    loudnessLufs: clone.loudnessLufs,
  };
}
