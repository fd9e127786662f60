import { findCue } from '../../../text/markup/cues.ts';
import type { CaptionWord } from '../../captions/caption.ts';
import type { ChunkTiming } from './timing.ts';

/** The words of a chunk for captions: with adjacent punctuation, without cues. */
export function captionWords(chunk: ChunkTiming): CaptionWord[] {
  const words: CaptionWord[] = [];
  let opening = '';
  let joinsPrevious = false;
  for (const [index, word] of chunk.words.entries()) {
    if (index === 0) opening = /\S*$/.exec(gapBetween(chunk, chunk.charStart, word.charStart))![0];
    const next = chunk.words[index + 1];
    const { before, after, hasSpace } = splitAtSpaces(
      gapBetween(chunk, word.charEnd, next?.charStart ?? chunk.charStart + chunk.text.length),
    );
    words.push({
      text: opening + stripMarkup(word.text) + before,
      startSeconds: chunk.offsetSeconds + word.startSeconds,
      endSeconds: chunk.offsetSeconds + word.endSeconds,
      ...(joinsPrevious && { joinsPrevious }),
      ...(chunk.speaker !== undefined && { speaker: `Speaker ${chunk.speaker}` }),
    });
    opening = after;
    joinsPrevious = !hasSpace;
  }
  return words;
}

function gapBetween(chunk: ChunkTiming, from: number, to: number): string {
  return stripMarkup(chunk.text.slice(from - chunk.charStart, to - chunk.charStart));
}

/** Splits a gap into the text before its first space and after its last one. */
function splitAtSpaces(gap: string): { before: string; after: string; hasSpace: boolean } {
  const match = /^(\S*)\s(?:.*\s)?(\S*)$/s.exec(gap);
  if (!match) return { before: gap, after: '', hasSpace: false };
  return { before: match[1]!, after: match[2]!, hasSpace: true };
}

/** Removes cues and tags. */
function stripMarkup(text: string): string {
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const cue = findCue(text, at, 'both');
    if (cue === undefined) plain += text[at];
    at = cue?.end ?? at + 1;
  }
  return plain.replace(/<[^<>]*>/g, '');
}
