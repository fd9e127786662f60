import { ApiError } from '../../errors.ts';

/** ISO 639-1 codes (and two ISO 639-3 codes) of the languages that ASR models support. */
export const TRANSCRIPTION_LANGUAGES: readonly string[] =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh yue'.split(
    ' ',
  );

let names: Intl.DisplayNames | undefined;
/** Codes of the models that `Intl.DisplayNames` lists under another code. */
const MODERN_CODES: Readonly<Record<string, string>> = { jw: 'jv' };

let codesByName: ReadonlyMap<string, string> | undefined;
const ALIASES: Readonly<Record<string, string>> = {
  mandarin: 'zh',
  castilian: 'es',
  flemish: 'nl',
  jv: 'jw',
  nb: 'no',
  iw: 'he',
  in: 'id',
  fil: 'tl',
};

/** `English` for `en`. Loads the names with its first call: they take 4 MB, which a server that only speaks does not need. */
export function languageName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
  return names.of(MODERN_CODES[code] ?? code) ?? code;
}

/** The part of a hint that is read. No hint is longer, and it comes from a client. */
const HINT_MAX_CHARS = 100;

/**
 * Parses a language hint: `en`, `en-US`, `EN_us`, `English` and `eng` are all English. An empty hint means
 * automatic detection. An unknown one is rejected, since transcription in a wrong language gives unusable text.
 */
export function parseLanguageHint(hint: string | null | undefined): string | undefined {
  const wanted = (hint ?? '').slice(0, HINT_MAX_CHARS).trim().toLowerCase().replaceAll('_', '-');
  if (wanted === '' || wanted === 'auto') return undefined;
  const base = wanted.split('-')[0]!;
  const short = canonicalCode(base);
  const found =
    [base, short].find((code) => TRANSCRIPTION_LANGUAGES.includes(code)) ??
    (Object.hasOwn(ALIASES, base) ? ALIASES[base] : undefined) ??
    codeOfName(wanted);
  if (found !== undefined) return found;
  throw new ApiError(
    'language_not_supported',
    'The language is not supported. Send an ISO 639-1 code such as `en`, or omit the field.',
  );
}

/** `en` for `english`. */
function codeOfName(name: string): string | undefined {
  codesByName ??= new Map(TRANSCRIPTION_LANGUAGES.map((code) => [languageName(code).toLowerCase(), code]));
  return codesByName.get(name);
}

/** `en` for `eng`; a string that is not a code is returned unchanged. */
function canonicalCode(tag: string): string {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
}
