import { z } from 'zod';
import {
  ITEMS_MAX,
  KEY_LENGTH_MAX,
  VALUE_LENGTH_MAX,
} from '../../../../domain/dictionaries/validate-items.ts';
import { ApiError } from '../../../../errors.ts';
import type { DictionaryItem } from '../../../../text/dictionary-matcher.ts';

/** The alphabets of ElevenLabs. Ours writes IPA between slashes. */
const ALPHABETS = ['ipa', 'cmu-arpabet', 'cmu', 'arpabet'] as const;
const IPA = /^\/(.*)\/$/su;

/** A rule as ElevenLabs' clients send it. Alias rules are rejected: an item of our dictionaries has phonemes. */
const RuleSchema = z.object({
  type: z.literal(
    'phoneme',
    'only rules of the type phoneme are supported; give phonemes in place of an alias',
  ),
  string_to_replace: z.string().min(1).max(KEY_LENGTH_MAX),
  phoneme: z.string().trim().min(1).max(VALUE_LENGTH_MAX),
  alphabet: z.enum(ALPHABETS, `alphabet must be one of ${ALPHABETS.join(', ')}`),
  case_sensitive: z.boolean().nullish(),
  word_boundaries: z.boolean().nullish(),
});
export const RulesSchema = z
  .array(RuleSchema)
  .max(ITEMS_MAX, `a dictionary must have at most ${ITEMS_MAX} rules`);

/** Maps a rule to an item. Without flags it matches whole words in the same case, as at ElevenLabs. */
export function toItem(rule: z.output<typeof RuleSchema>): DictionaryItem {
  return {
    key: rule.string_to_replace,
    value: toPhonemes(rule.phoneme, rule.alphabet),
    isCaseSensitive: rule.case_sensitive ?? true,
    ...(rule.word_boundaries !== false && { isWholeWord: true }),
  };
}

/** Phonemes in our notation. Throws `invalid_parameter` for an unknown alphabet. */
export function toPhonemes(phoneme: string, alphabet: string): string {
  if (alphabet === 'ipa') return IPA.test(phoneme) ? phoneme : `/${phoneme}/`;
  if (ALPHABETS.some((known) => known === alphabet)) return phoneme;
  throw new ApiError('invalid_parameter', `alphabet must be one of ${ALPHABETS.join(', ')}`);
}

/** Phonemes as ElevenLabs writes them. Pinyin and romaji of our own routes have no name there, and count as Arpabet. */
export function fromPhonemes(value: string): { phoneme: string; alphabet: 'ipa' | 'cmu-arpabet' } {
  const ipa = IPA.exec(value.trim())?.[1];
  return ipa === undefined ? { phoneme: value, alphabet: 'cmu-arpabet' } : { phoneme: ipa, alphabet: 'ipa' };
}

/** Maps an item to a rule. */
export function fromItem(item: DictionaryItem) {
  return {
    type: 'phoneme',
    string_to_replace: item.key,
    ...fromPhonemes(item.value),
    case_sensitive: item.isCaseSensitive,
    word_boundaries: item.isWholeWord ?? false,
  };
}
