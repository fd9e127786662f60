import type { HeardSegment } from './asr-task.ts';

/**
 * Puts what was heard in several channels in order of time, and finds the moments at which work may be taken up
 * again. From such a moment on every channel is heard anew, so what was told must not reach beyond it; but a
 * channel that was heard up to that very moment has told everything before it, wherever its last word ends.
 */
export class SegmentMerge {
  #held: { readonly channel: number; readonly segment: HeardSegment }[] = [];

  add(channel: number, segment: HeardSegment): void {
    this.#held.push({ channel, segment });
  }

  /** Takes how far each channel was heard; gives the last such moment, and the segments before it. */
  settle(settledSeconds: readonly number[]): {
    readonly segments: readonly HeardSegment[];
    readonly heardSeconds: number;
  } {
    let heardSeconds = Math.min(...settledSeconds);
    // Last ones first: a segment that moves the moment back may put it into an earlier one.
    for (const { channel, segment } of this.#held.sort(byStart).toReversed()) {
      const isAcross = segment.startSeconds < heardSeconds && segment.endSeconds > heardSeconds;
      if (isAcross && heardSeconds < settledSeconds[channel]!) heardSeconds = segment.startSeconds;
    }
    const isBefore = ({ segment }: { readonly segment: HeardSegment }) => segment.startSeconds < heardSeconds;
    const segments = this.#held.filter(isBefore).map(({ segment }) => segment);
    this.#held = this.#held.filter((held) => !isBefore(held));
    return { segments, heardSeconds };
  }
}

function byStart(
  left: { readonly segment: HeardSegment },
  right: { readonly segment: HeardSegment },
): number {
  return left.segment.startSeconds - right.segment.startSeconds;
}
