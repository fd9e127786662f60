import { findCue } from '../../../text/markup/cues.ts';
import type { CaptionWord } from '../../captions/caption.ts';
import type { ChunkTiming } from './timing.ts';

/** The words of a chunk as captions show them: with the punctuation that stands around them, without cues. */
export function captionWords(chunk: ChunkTiming): CaptionWord[] {
  const words: CaptionWord[] = [];
  let opening = '';
  let joinsPrevious = false;
  for (const [index, word] of chunk.words.entries()) {
    if (index === 0) opening = /\S*$/.exec(gapBetween(chunk, chunk.charStart, word.charStart))![0];
    const next = chunk.words[index + 1];
    const { before, after, hasSpace } = aroundSpace(
      gapBetween(chunk, word.charEnd, next?.charStart ?? chunk.charStart + chunk.text.length),
    );
    words.push({
      text: opening + plain(word.text) + before,
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
  return plain(chunk.text.slice(from - chunk.charStart, to - chunk.charStart));
}

/** What stands before the first space, and after the last. */
function aroundSpace(gap: string): { before: string; after: string; hasSpace: boolean } {
  const match = /^(\S*)\s(?:.*\s)?(\S*)$/s.exec(gap);
  if (!match) return { before: gap, after: '', hasSpace: false };
  return { before: match[1]!, after: match[2]!, hasSpace: true };
}

/** The text without cues and tags. */
function plain(text: string): string {
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const cue = findCue(text, at, 'both');
    if (cue === undefined) shown += text[at];
    at = cue?.end ?? at + 1;
  }
  return shown.replace(/<[^<>]*>/g, '');
}
