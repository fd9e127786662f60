import { z } from 'zod';
import { baseLanguage } from '../../../domain/voices/catalogue/language-tags.ts';
import type { Voice } from '../../../domain/voices/voice.ts';
import type { VoiceFilter } from '../../../domain/voices/voice-store.ts';
import { BUILT_IN_AUTHOR } from './model-entity.ts';

const page = (name: string, min: number, max: number, fallback: number) => {
  const message = `${name} must be in [${min}, ${max}]`;
  return z.coerce.number(message).int(message).min(min, message).max(max, message).default(fallback);
};
/** Maximum number of values of a repeated query parameter. */
const LIST_MAX = 64;
const value = z.string().max(256);
const list = z
  .union([value, z.array(value).max(LIST_MAX)])
  .transform((value) => [value].flat())
  .optional();
const TRUTHY = ['true', '1'];
const FALSY = ['false', '0', ''];
const flag = (name: string) =>
  z
    .stringbool({ truthy: TRUTHY, falsy: FALSY, error: `${name} must be true or false` })
    .meta({ enum: [...TRUTHY, ...FALSY] })
    .optional();

/** The query of `GET /model`. */
export const ListQuerySchema = z.object({
  page_size: page('page_size', 1, 100, 10),
  page_number: page('page_number', 1, 1_000_000, 1),
  title: z.string().optional().describe('Part of the title or the name.'),
  tag: list.describe('Voices with all of these tags. May be repeated.'),
  'tag[]': list.describe('Alias of `tag`.'),
  self: flag('self').describe('Only voices of the caller’s account.'),
  author_id: z.string().optional().describe('Only voices of this author. Ignored with `self`.'),
  language: list.describe('Voices with one of these languages (`en`, `en-GB`). May be repeated.'),
  'language[]': list,
  title_language: list.describe('Languages of the title. May be repeated.'),
  licensed: flag('licensed').describe('Accepted and ignored.'),
  sort_by: z.enum(['score', 'task_count', 'created_at']).default('score'),
});
export type ListQuery = z.output<typeof ListQuerySchema>;

/** The language of the titles of built-in voices, which are given names. */
const TITLE_LANGUAGE = 'en';

/** Whether a built-in voice matches the query. */
export function matchesQuery(voice: Voice, query: ListQuery): boolean {
  // Built-in voices belong to no account.
  if (query.self) return false;
  if (query.author_id !== undefined && query.author_id !== BUILT_IN_AUTHOR._id) return false;
  const languages = requestedLanguages(query);
  const title = query.title?.trim().toLowerCase() ?? '';
  return (
    requestedTags(query).every((tag) => voice.tags.includes(tag) || voice.name === tag) &&
    (languages.length === 0 || languageTags(voice).some((tag) => languages.includes(tag))) &&
    (query.title_language === undefined || query.title_language.includes(TITLE_LANGUAGE)) &&
    (title === '' || voice.title.toLowerCase().includes(title) || voice.name.toLowerCase().includes(title))
  );
}

/** The filter for voices of the voice library; undefined if none can match. */
export function toVoiceFilter(query: ListQuery, accountId: string | undefined): VoiceFilter | undefined {
  if (query.self && accountId === undefined) return undefined;
  return {
    ownedBy: query.self ? accountId : undefined,
    authorId: query.self ? undefined : query.author_id,
    title: query.title?.trim(),
    tags: requestedTags(query),
    languages: [...new Set(requestedLanguages(query).map(baseLanguage))],
  };
}

function requestedTags(query: ListQuery): readonly string[] {
  return [...(query.tag ?? []), ...(query['tag[]'] ?? [])].map((tag) => tag.toLowerCase());
}

function requestedLanguages(query: ListQuery): readonly string[] {
  return [...(query.language ?? []), ...(query['language[]'] ?? [])].map((tag) => tag.toLowerCase());
}

function languageTags(voice: Voice): string[] {
  return [baseLanguage(voice.locale), voice.locale.toLowerCase()];
}
