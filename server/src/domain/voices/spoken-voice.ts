import type { StoredVoice } from './stored-voice.ts';
import type { Voice } from './voice.ts';
import type { ClonedVoice } from './voice-cloner.ts';

/** The voice as it is spoken with. */
export function toVoice(voice: StoredVoice): Voice {
  return clonedVoice(voice.clone, {
    id: voice.id,
    name: voice.id,
    title: voice.title,
    description: voice.description,
    tags: voice.tags,
    isListed: voice.visibility === 'public',
    createdAtMs: voice.createdAtMs,
  });
}

/** A clone as the speech layer takes voices. */
export function clonedVoice(
  clone: ClonedVoice,
  facts: Pick<Voice, 'id' | 'name' | 'title' | 'description' | 'tags' | 'isListed' | 'createdAtMs'>,
): Voice {
  return {
    ...facts,
    engine: clone.engine,
    engineVoice: facts.id,
    vector: clone.vector,
    melody: clone.melody,
    language: 'en-US',
    locale: 'en-US',
    gender: clone.gender,
    loudnessLufs: clone.loudnessLufs,
  };
}
