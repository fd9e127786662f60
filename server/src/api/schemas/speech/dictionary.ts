import { z } from 'zod';
import type { DictionaryVersion } from '../../../domain/dictionaries/dictionaries.ts';
import type { StoredDictionary, StoredVersion } from '../../../domain/dictionaries/dictionary-store.ts';
import { DictionaryItemsSchema } from './pronunciation.ts';

const name = z
  .string()
  .trim()
  .min(1, 'name must have 1 to 128 characters')
  .max(128, 'name must have 1 to 128 characters');
const description = z.string().max(1024, 'description must have at most 1024 characters');

export const CreateDictionarySchema = z
  .object({ name, description: description.nullish() })
  .meta({ id: 'CreatePronunciationDictionary' });

export const UpdateDictionarySchema = z
  .object({ name: name.nullish(), description: description.nullish() })
  .meta({ id: 'UpdatePronunciationDictionary' });

export const PublishVersionSchema = z
  .object({
    rules: DictionaryItemsSchema.nullish().describe(
      'The complete ordered list; it replaces the previous one.',
    ),
    items: DictionaryItemsSchema.nullish().describe('Alias of `rules`, as in a speech request.'),
    expected_latest_version_id: z
      .string()
      .nullish()
      .describe('The `latest_version_id` that the list is based on; null for the first version.'),
  })
  .refine(({ rules, items }) => Boolean(rules) !== Boolean(items), 'give the list as `rules`')
  .meta({ id: 'PublishPronunciationDictionaryVersion' });

export const DictionarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    latest_version_id: z.string().nullable().describe('Null until a version is published.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'PronunciationDictionary' });

const VersionFields = {
  id: z.string(),
  dictionary_id: z.string(),
  version_number: z.int().describe('1 for the first.'),
  rule_count: z.int(),
  created_at: z.string(),
};

const RuleSchema = z
  .object({ key: z.string(), value: z.string(), case_sensitive: z.boolean() })
  .meta({ id: 'PublishedPronunciationRule' });

export const VersionSchema = z
  .object({ ...VersionFields, rules: z.array(RuleSchema) })
  .meta({ id: 'PronunciationDictionaryVersion' });
export const VersionSummarySchema = z
  .object(VersionFields)
  .meta({ id: 'PronunciationDictionaryVersionSummary' });

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    total: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next page.'),
  });
export const DictionaryListSchema = listOf(DictionarySchema).meta({ id: 'PronunciationDictionaryList' });
export const VersionListSchema = listOf(VersionSummarySchema).meta({
  id: 'PronunciationDictionaryVersionList',
});

export function toWireDictionary(dictionary: StoredDictionary): z.output<typeof DictionarySchema> {
  return {
    id: dictionary.id,
    name: dictionary.name,
    description: dictionary.description,
    latest_version_id: dictionary.latestVersionId ?? null,
    created_at: new Date(dictionary.createdAtMs).toISOString(),
    updated_at: new Date(dictionary.updatedAtMs).toISOString(),
  };
}

export function toWireVersionSummary(version: StoredVersion): z.output<typeof VersionSummarySchema> {
  return {
    id: version.id,
    dictionary_id: version.dictionaryId,
    version_number: version.number,
    rule_count: version.itemCount,
    created_at: new Date(version.createdAtMs).toISOString(),
  };
}

export function toWireVersion(version: DictionaryVersion): z.output<typeof VersionSchema> {
  const rules = version.items.map(({ key, value, isCaseSensitive }) => ({
    key,
    value,
    case_sensitive: isCaseSensitive,
  }));
  return { ...toWireVersionSummary(version), rules };
}
