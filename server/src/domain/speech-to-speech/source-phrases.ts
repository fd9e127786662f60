import type { ParsedCaption } from '../captions/parse-captions.ts';
import { isUnspaced } from '../transcription/transcript-text.ts';
import type { TranscriptSegment, TranscriptWord } from '../transcription/transcription-service.ts';

/** A word of a recording, with its UTF-16 offsets in the text of its phrase. Times are from the start of the recording. */
export interface SourceWord {
  readonly start: number;
  readonly end: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Undefined for an unvoiced word. */
  readonly pitchHz: number | undefined;
}

/** Words between two pauses of a recording. */
export interface SourcePhrase extends ParsedCaption {
  readonly words: readonly SourceWord[];
}

/** Pause between two words at which a phrase ends. Shorter pauses are part of the timing of the words. */
const PAUSE_SECONDS = 0.25;
/** A phrase longer than this ends at the next pause of `SHORT_PAUSE_SECONDS`. */
const LONG_PHRASE_SECONDS = 6;
const SHORT_PAUSE_SECONDS = 0.1;
/** Minimum duration of a phrase: word times of single short words may coincide. */
const DURATION_MIN_SECONDS = 0.1;

/** Splits the words of a transcript at pauses. */
export function toSourcePhrases(segments: readonly TranscriptSegment[]): SourcePhrase[] {
  return segments.flatMap(({ words, language }) =>
    splitAtPauses(words).map((part) => toPhrase(part, isUnspaced(language) ? '' : ' ')),
  );
}

function splitAtPauses(words: readonly TranscriptWord[]): TranscriptWord[][] {
  const parts: TranscriptWord[][] = [];
  for (const word of words) {
    if (word.text.trim() === '') continue;
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined) {
      parts.push([word]);
      continue;
    }
    const isLong = last.endSeconds - part[0]!.startSeconds > LONG_PHRASE_SECONDS;
    const pauseSeconds = word.startSeconds - last.endSeconds;
    if (pauseSeconds >= (isLong ? SHORT_PAUSE_SECONDS : PAUSE_SECONDS)) parts.push([word]);
    else part.push(word);
  }
  return parts;
}

function toPhrase(words: readonly TranscriptWord[], separator: string): SourcePhrase {
  let text = '';
  const placed = words.map(({ text: written, startSeconds, endSeconds, pitchHz }): SourceWord => {
    if (text !== '') text += separator;
    const start = text.length;
    text += written.trim();
    return { start, end: text.length, startSeconds, endSeconds, pitchHz };
  });
  const { startSeconds } = placed[0]!;
  const endSeconds = Math.max(placed.at(-1)!.endSeconds, startSeconds + DURATION_MIN_SECONDS);
  return { text, words: placed, startSeconds, endSeconds, speaker: undefined };
}
