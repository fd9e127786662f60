import type { Insertion } from '../engine.ts';
import { FRAMES_PER_SECOND } from './features.ts';

/** What follows what in an utterance: frames of its speech, and what stands between its words. */
export type Segment =
  | { readonly kind: 'speech'; readonly from: number; readonly to: number }
  | { readonly kind: 'insertion'; readonly content: Insertion['content'] };

/** Cuts speech where something is inserted. `frameBefore` gives the frame between a word and the one before. */
export function cutSegments(
  range: { readonly from: number; readonly to: number },
  insertions: readonly Insertion[],
  frameBefore: (wordIndex: number) => number,
): Segment[] {
  const segments: Segment[] = [];
  let from = range.from;
  for (const { wordIndex, content } of insertions) {
    const to = Math.min(range.to, Math.max(from, frameBefore(wordIndex)));
    if (to > from) segments.push({ kind: 'speech', from, to });
    segments.push({ kind: 'insertion', content });
    from = to;
  }
  if (range.to > from) segments.push({ kind: 'speech', from, to: range.to });
  return segments;
}

/**
 * When a frame of the speech is heard, in seconds from the start of the utterance's audio. At a cut, the end of
 * a word is before what is inserted and the start of one behind it.
 */
export function secondsAt(
  { frame, side }: { readonly frame: number; readonly side: 'start' | 'end' },
  segments: readonly Segment[],
  secondsOf: (content: Insertion['content']) => number,
): number {
  let seconds = 0;
  for (const segment of segments) {
    if (segment.kind === 'insertion') seconds += secondsOf(segment.content);
    else if (side === 'start' ? frame >= segment.to : frame > segment.to) {
      seconds += (segment.to - segment.from) / FRAMES_PER_SECOND;
    } else return seconds + (frame - segment.from) / FRAMES_PER_SECOND;
  }
  return seconds;
}
