import { z } from 'zod';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import { similarityOf } from '../../../domain/voices/clone-similarity.ts';
import { VOICE_DESIGN } from '../../../domain/voices/design/voice-description.ts';
import { previewText } from '../../../domain/voices/library/voice-previews.ts';
import {
  REFINEMENT_STATES,
  type StoredVoice,
  VISIBILITIES,
  VOICE_STATES,
} from '../../../domain/voices/stored-voice.ts';
import { type Voice, voiceId } from '../../../domain/voices/voice.ts';

/** The author of all built-in voices. */
export const BUILT_IN_AUTHOR = { _id: voiceId('author', 'mynah'), nickname: 'Mynah', avatar: '' };

const count = z.int().min(0);

const ModelQualitySchema = z
  .object({
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    similarity: z
      .number()
      .optional()
      .describe(
        'Extension. Cosine similarity of the x-vectors of the voice and of its recordings; 1 is equal.',
      ),
    first_similarity: z.number().optional().describe('Extension. The same before the refinement.'),
    audios: z.array(
      z.object({
        filename: z.string(),
        duration_ms: count,
        language: z.string().describe('An ISO 639-1 code, or `unknown`.'),
        quality: z.object({}).catchall(z.number()),
        quality_passed: z.boolean().describe('Whether the recording was used for the voice.'),
        quality_reason: z.string().describe('Codes and sentences; empty without problems.'),
      }),
    ),
  })
  .meta({ id: 'ModelQuality' });

export const ModelEntitySchema = z
  .object({
    _id: z.string().describe('Use it as `reference_id`.'),
    type: z.literal('tts'),
    title: z.string(),
    description: z.string(),
    cover_image: z.string(),
    train_mode: z.literal('fast'),
    state: z.enum(VOICE_STATES),
    tags: z.array(z.string()),
    samples: z.array(
      z.object({ title: z.string(), text: z.string(), task_id: z.string(), audio: z.string() }),
    ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    languages: z.array(z.string()).describe('ISO 639-1 codes.'),
    visibility: z.enum(VISIBILITIES),
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
    gender: z.enum(['female', 'male', 'unknown']).describe('Extension.'),
    refinement: z
      .enum(REFINEMENT_STATES)
      .optional()
      .describe(
        'Extension. `pending`: the voice can be used and is refined in the background, after which its speech changes once; `done`, `failed`: the refinement has ended; `none`: the voice is not refined.',
      ),
    source: z.enum(['voice_design']).optional().describe('`voice_design` for a designed voice.'),
    quality: ModelQualitySchema.optional().describe('The verdicts on the recordings.'),
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

/** Fields of the public API that this server does not support. */
const UNSUPPORTED = {
  type: 'tts',
  train_mode: 'fast',
  like_count: 0,
  mark_count: 0,
  shared_count: 0,
  unliked: false,
  liked: false,
  marked: false,
} as const;

/** A built-in voice on the wire. Required fields are never null. */
export function toBuiltInModelEntity(
  voice: Voice,
  { baseUrl, taskCount }: { readonly baseUrl: string; readonly taskCount: number },
): ModelEntity {
  const createdAt = new Date(voice.createdAtMs).toISOString();
  const text = previewText(voice);
  return {
    _id: voice.id,
    ...UNSUPPORTED,
    title: voice.title,
    description: voice.description,
    cover_image: '',
    state: 'trained',
    tags: [...voice.tags, voice.name],
    samples: [{ title: voice.title, text, task_id: '', audio: sampleUrl(baseUrl, voice.id, 0) }],
    created_at: createdAt,
    updated_at: createdAt,
    languages: [baseLanguage(voice.locale)],
    visibility: voice.isListed ? 'public' : 'unlist',
    lock_visibility: true,
    default_text: text,
    task_count: taskCount,
    author: BUILT_IN_AUTHOR,
    gender: voice.gender,
  };
}

/** A voice of the voice library on the wire. */
export function toStoredModelEntity(voice: StoredVoice, baseUrl: string): ModelEntity {
  const createdAt = new Date(voice.createdAtMs).toISOString();
  const updatedAt = new Date(voice.updatedAtMs).toISOString();
  const similarity = similarityOf(voice.clone);
  return {
    _id: voice.id,
    ...UNSUPPORTED,
    title: voice.title,
    description: voice.description,
    cover_image: voice.coverFile === undefined ? '' : `${baseUrl}/model/${voice.id}/cover`,
    state: voice.state,
    tags: [...voice.tags],
    samples: voice.samples.map(({ title, text }, index) => ({
      title,
      text,
      task_id: '',
      audio: sampleUrl(baseUrl, voice.id, index),
    })),
    created_at: createdAt,
    updated_at: updatedAt,
    languages: [...voice.languages],
    visibility: voice.visibility,
    lock_visibility: false,
    default_text: '',
    task_count: voice.taskCount,
    author: { _id: voice.accountId, nickname: voice.authorName, avatar: '' },
    gender: voice.clone.gender,
    refinement: voice.refinement,
    ...(voice.cloner === VOICE_DESIGN && { source: 'voice_design' as const }),
    quality: {
      created_at: createdAt,
      updated_at: updatedAt,
      ...(similarity && { similarity: similarity.current }),
      ...(similarity?.first !== undefined && { first_similarity: similarity.first }),
      audios: voice.clips.map((clip) => ({
        filename: clip.filename,
        duration_ms: clip.durationMs,
        language: clip.language,
        quality: { ...clip.measures },
        quality_passed: clip.isPassed,
        quality_reason: clip.reason,
      })),
    },
  };
}

function sampleUrl(baseUrl: string, id: string, index: number): string {
  return `${baseUrl}/model/${id}/samples/${index}`;
}
