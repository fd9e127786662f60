import { ApiError } from '../../errors.ts';
import type { Script } from '../../text/normalise/script.ts';
import type { Language } from '../../text/piece.ts';
import type { Voice } from '../voices/voice.ts';

/** Languages that are identified by their script. */
const LANGUAGE_OF_SCRIPT: Partial<Record<Script, Language>> = {
  Han: 'zh',
  Kana: 'ja',
  Devanagari: 'hi',
};

/** Scripts of each language. Latin words may occur in any text. */
const SCRIPTS_OF_LANGUAGE: Partial<Record<Language, readonly Script[]>> = {
  zh: ['Han', 'Latin'],
  ja: ['Kana', 'Han', 'Latin'],
  hi: ['Devanagari', 'Latin'],
};

/**
 * Chooses the language of a text: the requested language, else the voice's language if it uses the script, else
 * the language of the script. Throws `language_not_supported` for a script without a language.
 */
export function chooseLanguage(
  script: Script | undefined,
  options: { readonly voice: Voice; readonly requested: Language | undefined },
): Language {
  const own = options.requested ?? options.voice.language;
  if (script === undefined || usesScript(own, script)) return own;
  const language = LANGUAGE_OF_SCRIPT[script];
  if (language === undefined) {
    throw new ApiError(
      'language_not_supported',
      `The text is written in ${script} script, which no installed voice supports.`,
    );
  }
  return language;
}

function usesScript(language: Language, script: Script): boolean {
  // The phonemizer of an undetermined language is assumed to accept any script.
  if (language === 'und') return true;
  return (SCRIPTS_OF_LANGUAGE[language] ?? ['Latin']).includes(script);
}
