import { ApiError } from '../../../errors.ts';
import { LANGUAGES, type Language } from '../../../text/piece.ts';

/** The part of a tag that is read. No tag is longer, and it comes from a client. */
const TAG_MAX_CHARS = 100;

/** Parses a language tag: an exact match, or the first language with the same base (`en` is `en-US`). */
export function parseLanguage(tag: string): Language {
  const normalized = tag.slice(0, TAG_MAX_CHARS).trim().toLowerCase().replaceAll('_', '-');
  const base = normalized.split('-')[0];
  const found =
    LANGUAGES.find((language) => language.toLowerCase() === normalized) ??
    LANGUAGES.find((language) => baseLanguage(language) === base);
  if (found !== undefined) return found;
  throw new ApiError(
    'language_not_supported',
    `The language is not supported. Supported: ${LANGUAGES.join(', ')}.`,
  );
}

/** ISO 639-1 code: `pt` for `pt-BR`. */
export function baseLanguage(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}
