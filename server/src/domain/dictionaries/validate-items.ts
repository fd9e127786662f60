import { ApiError } from '../../errors.ts';
import type { DictionaryItem } from '../../text/dictionary-matcher.ts';
import { parsePhonemes } from '../../text/phonemes/parse-phonemes.ts';

/** Most items of one list, longest key and longest value, as clients know them. */
export const ITEMS_MAX = 5000;
export const KEY_LENGTH_MAX = 256;
export const VALUE_LENGTH_MAX = 1024;

/** Refuses items whose value is no sound in any alphabet, before they are stored or spoken. */
export function assertValidItems(items: readonly DictionaryItem[]): void {
  for (const [index, { key, value }] of items.entries()) {
    // English takes every alphabet there is.
    const parsed = parsePhonemes(value, 'en-US');
    if ('value' in parsed) continue;
    throw new ApiError(
      'invalid_phonemes',
      `The phonemes of item ${index}, ${JSON.stringify(key.slice(0, 40))}, cannot be read: ${parsed.problem}.`,
    );
  }
}
