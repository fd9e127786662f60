import { parsePhonemes } from '../phonemes/parse-phonemes.ts';
import type { Language } from '../piece.ts';
import { findPhonemeSpan } from './cues.ts';

/** An error in the markup of a text. The message is for the client. */
export interface MarkupProblem {
  readonly kind: 'phonemes';
  readonly message: string;
  /** UTF-16 offset into the text. */
  readonly at: number;
}

const PHONEME_TAG = /<\|phoneme_(?:start|end)\|>/gi;
const QUOTE_LENGTH = 60;

/** Finds the first error in the phoneme spans of a text. */
export function findMarkupProblem(text: string, language: Language): MarkupProblem | undefined {
  PHONEME_TAG.lastIndex = 0;
  for (let tag = PHONEME_TAG.exec(text); tag; tag = PHONEME_TAG.exec(text)) {
    const at = tag.index;
    const span = findPhonemeSpan(text, at);
    if (!span) {
      const message = `\`${tag[0]}\` at character ${at} is not part of a span \`<|phoneme_start|>…<|phoneme_end|>\`.`;
      return { kind: 'phonemes', message, at };
    }
    const value = text.slice(span.valueStart, span.valueEnd);
    const parsed = parsePhonemes(value, language);
    if (!parsed.isValid) {
      const message = `The phonemes ${quote(value)} at character ${span.valueStart} are invalid: ${parsed.problem}.`;
      return { kind: 'phonemes', message, at };
    }
    PHONEME_TAG.lastIndex = span.end;
  }
  return undefined;
}

function quote(value: string): string {
  return JSON.stringify(value.length <= QUOTE_LENGTH ? value : `${value.slice(0, QUOTE_LENGTH)}…`);
}
