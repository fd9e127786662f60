import { ApiError } from '../../errors.ts';
import type { Script } from '../../text/normalise/script.ts';
import type { Language } from '../../text/piece.ts';
import type { Voice } from '../voices/voice.ts';

/** Languages whose script alone gives them away. */
const LANGUAGE_OF_SCRIPT: Partial<Record<Script, Language>> = {
  Han: 'zh',
  Kana: 'ja',
  Devanagari: 'hi',
};

/** Scripts that a language is written in. Latin words may stand in any text. */
const SCRIPTS_OF_LANGUAGE: Partial<Record<Language, readonly Script[]>> = {
  zh: ['Han', 'Latin'],
  ja: ['Kana', 'Han', 'Latin'],
  hi: ['Devanagari', 'Latin'],
};

/**
 * The language a text is read in: the one the client names, else the voice's own when it can read the
 * script, else the one the script belongs to. Refuses a script that no voice can read.
 */
export function chooseLanguage(
  script: Script | undefined,
  options: { readonly voice: Voice; readonly requested: Language | undefined },
): Language {
  const own = options.requested ?? options.voice.language;
  if (script === undefined || canRead(own, script)) return own;
  const language = LANGUAGE_OF_SCRIPT[script];
  if (language === undefined) {
    throw new ApiError(
      'language_not_supported',
      `The text is written in ${script} script, which no installed voice can read.`,
    );
  }
  return language;
}

function canRead(language: Language, script: Script): boolean {
  // A voice of a language we do not know reads whatever its own phonemizer reads.
  if (language === 'und') return true;
  return (SCRIPTS_OF_LANGUAGE[language] ?? ['Latin']).includes(script);
}
