import type { Caption, CaptionWord } from './caption.ts';
import { breakLines, breakQuality, joinWords, LINE_COLUMNS_MAX } from './caption-lines.ts';
import { displayWidth } from './display-width.ts';

/** Longest time one caption stands. */
const CAPTION_SECONDS_MAX = 7;
/** Shortest time one caption stands, where the next leaves room for it. */
const CAPTION_SECONDS_MIN = 1.2;
/** How long a caption stays after its last word, where there is room. */
const LINGER_SECONDS = 0.3;
/** Silence that no caption spans. */
const GAP_SECONDS_MAX = 1.5;
/** A stretch that ends a sentence and is longer than one caption is laid out without waiting for more. */
const STRETCH_COLUMNS_MIN = 2 * LINE_COLUMNS_MAX;
/** However it is written, so many words are laid out at a time. */
const STRETCH_WORDS_MAX = 400;

/** Cost of ending a caption after a word, by `breathAfter`. */
const BREAK_COSTS = [60, 20, 0] as const;
/** Cost of every caption, so that short sentences share one. */
const CAPTION_COST = 12;

/**
 * Turns timed words into captions that are easy to read: at most two lines of 42 columns, up to 7 seconds,
 * parted where sentences and clauses end, never across a long silence or two speakers. Words go in as they
 * come; captions come out as soon as they are certain.
 */
export class CaptionBuilder {
  #words: CaptionWord[] = [];
  #columns = 0;
  #held: Caption | undefined;

  /** Takes the next word and returns the captions that are final. */
  add(word: CaptionWord): Caption[] {
    const last = this.#words.at(-1);
    const isApart = last !== undefined && isBreakForced(last, word);
    const done = isApart ? this.#layOut() : [];
    this.#words.push(word);
    this.#columns += displayWidth(word.text) + 1;
    const isLongEnough = this.#columns >= STRETCH_COLUMNS_MIN && breakQuality(word) === 2;
    if (isLongEnough || this.#words.length >= STRETCH_WORDS_MAX) done.push(...this.#layOut());
    return done;
  }

  /** The captions of the words that are left. */
  finish(): Caption[] {
    const rest = this.#layOut();
    if (this.#held) rest.push(this.#held);
    this.#held = undefined;
    return rest;
  }

  #layOut(): Caption[] {
    const words = this.#words;
    this.#words = [];
    this.#columns = 0;
    return groupWords(words).flatMap((group) => this.#hold(toCaption(group)));
  }

  /** A caption may stand until the next begins, so it is held back until that is known. */
  #hold(next: Caption): Caption[] {
    const held = this.#held;
    this.#held = next;
    return held
      ? [{ ...held, endSeconds: Math.min(held.endSeconds, Math.max(next.startSeconds, held.startSeconds)) }]
      : [];
  }
}

/** All captions of a list of words; none stands longer than the sound, which ends at `soundEndSeconds`. */
export function buildCaptions(
  words: Iterable<CaptionWord>,
  soundEndSeconds = Number.POSITIVE_INFINITY,
): Caption[] {
  const maker = new CaptionBuilder();
  const captions: Caption[] = [];
  for (const word of words) captions.push(...maker.add(word));
  captions.push(...maker.finish());
  return captions.map((caption) => {
    const endSeconds = Math.max(caption.startSeconds, Math.min(caption.endSeconds, soundEndSeconds));
    return { ...caption, endSeconds };
  });
}

function isBreakForced(last: CaptionWord, next: CaptionWord): boolean {
  return last.speaker !== next.speaker || next.startSeconds - last.endSeconds > GAP_SECONDS_MAX;
}

/** Parts words into captions at the least cost: breaks at good places, few captions, none too full. */
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
  const endSeconds = Math.max(last.endSeconds + LINGER_SECONDS, startSeconds + CAPTION_SECONDS_MIN);
  return {
    lines: breakLines(group) ?? [joinWords(group)],
    startSeconds,
    endSeconds,
    ...(speaker !== undefined && { speaker }),
  };
}
