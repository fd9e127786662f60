import { z } from 'zod';
import { baseLanguage } from '../../voices/language-tags.ts';
import { type Voice, voiceId } from '../../voices/voice.ts';

/** The author of all built-in voices. */
export const BUILT_IN_AUTHOR = { _id: voiceId('author', 'mynah'), nickname: 'Mynah', avatar: '' };

const count = z.int().min(0);

export const ModelEntitySchema = z
  .object({
    _id: z.string().describe('Use it as `reference_id`.'),
    type: z.literal('tts'),
    title: z.string(),
    description: z.string(),
    cover_image: z.string(),
    train_mode: z.literal('fast'),
    state: z.enum(['created', 'training', 'trained', 'failed']),
    tags: z.array(z.string()),
    samples: z.array(
      z.object({ title: z.string(), text: z.string(), task_id: z.string(), audio: z.string() }),
    ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    languages: z.array(z.string()).describe('ISO 639-1 codes.'),
    visibility: z.enum(['public', 'unlist', 'private']),
    lock_visibility: z.boolean(),
    default_text: z.string(),
    like_count: count,
    mark_count: count,
    shared_count: count,
    task_count: count,
    unliked: z.boolean(),
    liked: z.boolean(),
    marked: z.boolean(),
    author: z.object({ _id: z.string(), nickname: z.string(), avatar: z.string() }),
  })
  .meta({ id: 'ModelEntity', description: 'A voice.' });

export type ModelEntity = z.output<typeof ModelEntitySchema>;

export const ModelListSchema = z
  .object({
    total: count,
    items: z.array(ModelEntitySchema),
    has_more: z.boolean(),
    max_offset: z.int().nullable(),
    accessible_upper_bound: z.int().nullable(),
    window_limited: z.boolean(),
    total_is_exact: z.boolean(),
  })
  .meta({ id: 'ModelList' });

/** A built-in voice the way clients know voices. No required field is ever null. */
export function toModelEntity(voice: Voice): ModelEntity {
  const createdAt = new Date(voice.createdAtMs).toISOString();
  return {
    _id: voice.id,
    type: 'tts',
    title: voice.title,
    description: voice.description,
    cover_image: '',
    train_mode: 'fast',
    state: 'trained',
    tags: [...voice.tags, voice.name],
    samples: [],
    created_at: createdAt,
    updated_at: createdAt,
    languages: [baseLanguage(voice.locale)],
    visibility: voice.isListed ? 'public' : 'unlist',
    lock_visibility: true,
    default_text: '',
    like_count: 0,
    mark_count: 0,
    shared_count: 0,
    task_count: 0,
    unliked: false,
    liked: false,
    marked: false,
    author: BUILT_IN_AUTHOR,
  };
}
