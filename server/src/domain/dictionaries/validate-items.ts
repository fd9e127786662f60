import { ApiError } from '../../errors.ts';
import type { DictionaryItem } from '../../text/dictionary-matcher.ts';
import { parsePhonemes } from '../../text/phonemes/parse-phonemes.ts';

/** Limits of the API: items per list, and lengths of a key and a value in characters. */
export const ITEMS_MAX = 5000;
export const KEY_LENGTH_MAX = 256;
export const VALUE_LENGTH_MAX = 1024;

/** Throws `invalid_phonemes` for an item whose value is not valid in any phonetic alphabet. `path` is that of the list in the request. */
export function assertValidItems(items: readonly DictionaryItem[], path = 'rules'): void {
  for (const [index, { key, value }] of items.entries()) {
    // English accepts every alphabet.
    const parsed = parsePhonemes(value, 'en-US');
    if (parsed.isValid) continue;
    throw new ApiError(
      'invalid_phonemes',
      `The phonemes of \`${path}[${index}]\`, ${JSON.stringify(key.slice(0, 40))}, are invalid: ${parsed.problem}.`,
    );
  }
}
