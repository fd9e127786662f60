import type { Caption, CaptionWord } from './caption.ts';
import { breakLines, breakQuality, joinWords, LINE_COLUMNS_MAX } from './caption-lines.ts';
import { displayWidth } from './display-width.ts';

/** Maximum display time of a caption. */
const CAPTION_SECONDS_MAX = 7;
/** Minimum display time of a caption, unless the next one begins earlier. */
const CAPTION_SECONDS_MIN = 1.2;
/** Display time after the last word, unless the next caption begins earlier. */
const HOLD_SECONDS = 0.3;
/** A longer gap between words always separates captions. */
const GAP_SECONDS_MAX = 1.5;
/** Words are laid out at a sentence end once they exceed this width, without waiting for more. */
const LAYOUT_COLUMNS_MIN = 2 * LINE_COLUMNS_MAX;
/** Maximum number of words laid out together. */
const LAYOUT_WORDS_MAX = 400;

/** Cost of ending a caption after a word, indexed by `breakQuality`. */
const BREAK_COSTS = [60, 20, 0] as const;
/** Cost of each caption; it makes short sentences share one. */
const CAPTION_COST = 12;

/**
 * Builds captions from a stream of timed words: at most two lines of 42 columns and 7 seconds, broken at sentence and
 * clause ends, never across a long gap or a change of speaker. Captions are returned as soon as they are final.
 */
export class CaptionBuilder {
  #words: CaptionWord[] = [];
  #columns = 0;
  #pending: Caption | undefined;

  /** Adds a word and returns the captions that became final. */
  add(word: CaptionWord): Caption[] {
    const last = this.#words.at(-1);
    const startsNewGroup = last !== undefined && isBreakForced(last, word);
    const done = startsNewGroup ? this.#layOut() : [];
    this.#words.push(word);
    this.#columns += displayWidth(word.text) + 1;
    const isLongEnough = this.#columns >= LAYOUT_COLUMNS_MIN && breakQuality(word) === 2;
    if (isLongEnough || this.#words.length >= LAYOUT_WORDS_MAX) done.push(...this.#layOut());
    return done;
  }

  /** The captions of the remaining words. */
  finish(): Caption[] {
    const rest = this.#layOut();
    if (this.#pending) rest.push(this.#pending);
    this.#pending = undefined;
    return rest;
  }

  #layOut(): Caption[] {
    const words = this.#words;
    this.#words = [];
    this.#columns = 0;
    return groupWords(words).flatMap((group) => this.#replacePending(toCaption(group)));
  }

  /** Delays a caption until the start of the next one, which limits its end, is known. */
  #replacePending(next: Caption): Caption[] {
    const pending = this.#pending;
    this.#pending = next;
    return pending
      ? [
          {
            ...pending,
            endSeconds: Math.min(pending.endSeconds, Math.max(next.startSeconds, pending.startSeconds)),
          },
        ]
      : [];
  }
}

/** Builds the captions of a list of words. None ends after `audioEndSeconds`. */
export function buildCaptions(
  words: Iterable<CaptionWord>,
  audioEndSeconds = Number.POSITIVE_INFINITY,
): Caption[] {
  const builder = new CaptionBuilder();
  const captions: Caption[] = [];
  for (const word of words) captions.push(...builder.add(word));
  captions.push(...builder.finish());
  return captions.map((caption) => {
    const endSeconds = Math.max(caption.startSeconds, Math.min(caption.endSeconds, audioEndSeconds));
    return { ...caption, endSeconds };
  });
}

function isBreakForced(last: CaptionWord, next: CaptionWord): boolean {
  return last.speaker !== next.speaker || next.startSeconds - last.endSeconds > GAP_SECONDS_MAX;
}

/** Groups words into captions with the least total cost (dynamic programming over the break positions). */
function groupWords(words: readonly CaptionWord[]): CaptionWord[][] {
  const costs = [0];
  const starts = [0];
  for (let end = 1; end <= words.length; end++) {
    costs[end] = Number.POSITIVE_INFINITY;
    for (let start = end - 1; start >= 0; start--) {
      const group = words.slice(start, end);
      if (!fits(group)) break;
      const isLast = end === words.length;
      const breakCost = isLast ? 0 : BREAK_COSTS[breakQuality(words[end - 1]!)];
      const cost = costs[start]! + CAPTION_COST + breakCost;
      if (cost < costs[end]!) {
        costs[end] = cost;
        starts[end] = start;
      }
    }
  }
  const groups: CaptionWord[][] = [];
  for (let end = words.length; end > 0; end = starts[end]!) groups.unshift(words.slice(starts[end], end));
  return groups;
}

function fits(group: readonly CaptionWord[]): boolean {
  if (group.length === 1) return true;
  const seconds = group.at(-1)!.endSeconds - group[0]!.startSeconds;
  return seconds <= CAPTION_SECONDS_MAX && breakLines(group) !== undefined;
}

function toCaption(group: readonly CaptionWord[]): Caption {
  const [first, last] = [group[0]!, group.at(-1)!];
  const { startSeconds, speaker } = first;
  const endSeconds = Math.max(last.endSeconds + HOLD_SECONDS, startSeconds + CAPTION_SECONDS_MIN);
  return {
    lines: breakLines(group) ?? [joinWords(group)],
    startSeconds,
    endSeconds,
    ...(speaker !== undefined && { speaker }),
  };
}
