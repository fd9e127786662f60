import { ApiError } from '../../../errors.ts';
import { LANGUAGES, type Language } from '../../../text/piece.ts';

/** The language a client means: a tag we know, or one of the same base language (`en` is `en-US`). */
export function parseLanguage(tag: string): Language {
  const wanted = tag.trim().toLowerCase().replaceAll('_', '-');
  const found =
    LANGUAGES.find((language) => language.toLowerCase() === wanted) ??
    LANGUAGES.find((language) => baseLanguage(language) === wanted.split('-')[0]);
  if (found !== undefined) return found;
  throw new ApiError(
    'language_not_supported',
    `The language is not supported. Known: ${LANGUAGES.join(', ')}.`,
  );
}

/** ISO 639-1 code: `pt` for `pt-BR`. */
export function baseLanguage(tag: string): string {
  return tag.split('-')[0]!.toLowerCase();
}
