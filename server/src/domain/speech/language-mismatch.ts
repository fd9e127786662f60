/**
 * What happens to a text in a language that its voice does not speak, if the request names no language. `speak`: with a
 * voice of that language if the request names no voice, else with the named voice and a warning. `refuse`: an error.
 */
export const LANGUAGE_MISMATCHES = ['speak', 'refuse'] as const;
export type LanguageMismatch = (typeof LANGUAGE_MISMATCHES)[number];
