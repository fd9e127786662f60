import { z } from 'zod';
import type { DictionaryReference } from '../../../domain/dictionaries/dictionary-resolver.ts';
import { ITEMS_MAX, KEY_LENGTH_MAX, VALUE_LENGTH_MAX } from '../../../domain/dictionaries/validate-items.ts';
import type { DictionaryItem } from '../../../text/dictionary-matcher.ts';

const DICTIONARIES_MAX = 3;
const MARKER = /<\|phoneme_(?:start|end)\|>/i;
const ID = /^[A-Za-z0-9_-]{1,128}$/;

const between = (name: string, max: number) => {
  const message = `${name} must have 1 to ${max} characters`;
  return z
    .string()
    .min(1, message)
    .max(max, message)
    .refine((text) => !MARKER.test(text), `${name} must not contain phoneme markers`);
};

/** A dictionary entry on the wire. */
export const DictionaryItemSchema = z
  .object({
    key: between('key', KEY_LENGTH_MAX).describe('The text to match.'),
    value: between('value', VALUE_LENGTH_MAX).describe('Its pronunciation, as in a phoneme span.'),
    case_sensitive: z
      .boolean()
      .nullish()
      .meta({
        default: false,
        description: 'Whether case must match; otherwise ASCII letters match in either case.',
      })
      .transform((given) => given ?? false),
  })
  .meta({ id: 'PronunciationRule' });

export const DictionaryItemsSchema = z
  .array(DictionaryItemSchema)
  .max(ITEMS_MAX, `a dictionary must have at most ${ITEMS_MAX} items`);

const idOf = (name: string) => z.string().regex(ID, `${name} must match ${ID.source}`);

const ReferenceSchema = z
  .object({
    id: idOf('id').describe('A dictionary.'),
    version: idOf('version').describe('One of its versions.'),
  })
  .meta({ id: 'PronunciationDictionaryReference' });

const InlineSchema = z.object({ items: DictionaryItemsSchema }).meta({ id: 'InlinePronunciationDictionary' });

/** `pronunciation_dictionary` of a speech request. */
export const DictionaryReferencesSchema = z
  .array(z.union([ReferenceSchema, InlineSchema], { error: unionProblem }))
  .max(DICTIONARIES_MAX, `pronunciation_dictionary must have at most ${DICTIONARIES_MAX} entries`)
  .refine(
    (entries) => entries.every((entry) => 'items' in entry) || entries.every((entry) => 'id' in entry),
    'pronunciation_dictionary must contain references only, or lists of items only',
  );

/** The error message for an entry, by the variant that it resembles. */
function unionProblem(issue: {
  readonly input?: unknown;
  readonly errors?: readonly (readonly z.core.$ZodIssue[])[];
}) {
  const isInline = typeof issue.input === 'object' && issue.input !== null && 'items' in issue.input;
  const first = issue.errors?.[isInline ? 1 : 0]?.[0];
  const place = first?.path.join('.');
  return `each entry of pronunciation_dictionary is {id, version} or {items}${first ? `: ${place ? `${place}: ` : ''}${first.message}` : ''}`;
}

export function toDictionaryItem(item: z.output<typeof DictionaryItemSchema>): DictionaryItem {
  return { key: item.key, value: item.value, isCaseSensitive: item.case_sensitive };
}

export function toDictionaryReferences(
  entries: z.output<typeof DictionaryReferencesSchema> | null | undefined,
): DictionaryReference[] {
  return (entries ?? []).map((entry) =>
    'items' in entry
      ? { kind: 'inline', items: entry.items.map(toDictionaryItem) }
      : { kind: 'version', ...entry },
  );
}
