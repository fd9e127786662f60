import { parsePhonemes } from '../phonemes/parse-phonemes.ts';
import type { Language } from '../piece.ts';
import { findPhonemeSpan } from './cues.ts';

/** What is wrong with the mark-up of a text, in words for its author. */
export interface MarkupProblem {
  readonly kind: 'phonemes';
  readonly message: string;
  /** Where it stands: a UTF-16 offset into the text. */
  readonly at: number;
}

const PHONEME_TAG = /<\|phoneme_(?:start|end)\|>/gi;
const SHOWN_LENGTH = 60;

/** The first fault in the mark-up of a text that would keep it from being spoken as its author meant it. */
export function findMarkupProblem(text: string, language: Language): MarkupProblem | undefined {
  PHONEME_TAG.lastIndex = 0;
  for (let tag = PHONEME_TAG.exec(text); tag; tag = PHONEME_TAG.exec(text)) {
    const at = tag.index;
    const span = findPhonemeSpan(text, at);
    if (!span) {
      const message = `\`${tag[0]}\` at character ${at} belongs to no span \`<|phoneme_start|>…<|phoneme_end|>\`.`;
      return { kind: 'phonemes', message, at };
    }
    const value = text.slice(span.valueStart, span.valueEnd);
    const parsed = parsePhonemes(value, language);
    if ('problem' in parsed) {
      const message = `The phonemes ${shown(value)} at character ${span.valueStart} cannot be read: ${parsed.problem}.`;
      return { kind: 'phonemes', message, at };
    }
    PHONEME_TAG.lastIndex = span.end;
  }
  return undefined;
}

function shown(value: string): string {
  return JSON.stringify(value.length <= SHOWN_LENGTH ? value : `${value.slice(0, SHOWN_LENGTH)}…`);
}
