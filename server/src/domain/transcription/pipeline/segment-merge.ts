import type { AsrSegment } from './asr-task.ts';

/**
 * Puts what was heard in several channels in order of time, and finds the moments at which work may be taken up
 * again. From such a moment on every channel is heard anew, so what was told must not reach beyond it; but a
 * channel that was heard up to that very moment has told everything before it, wherever its last word ends.
 */
export class SegmentMerge {
  #held: { readonly channel: number; readonly segment: AsrSegment }[] = [];

  add(channel: number, segment: AsrSegment): void {
    this.#held.push({ channel, segment });
  }

  /** Takes how far each channel was heard; gives the last such moment, and the segments before it. */
  settle(settledSeconds: readonly number[]): {
    readonly segments: readonly AsrSegment[];
    readonly processedSeconds: number;
  } {
    let processedSeconds = Math.min(...settledSeconds);
    // Last ones first: a segment that moves the moment back may put it into an earlier one.
    for (const { channel, segment } of this.#held.sort(byStart).toReversed()) {
      const isAcross = segment.startSeconds < processedSeconds && segment.endSeconds > processedSeconds;
      if (isAcross && processedSeconds < settledSeconds[channel]!) processedSeconds = segment.startSeconds;
    }
    const isBefore = ({ segment }: { readonly segment: AsrSegment }) =>
      segment.startSeconds < processedSeconds;
    const segments = this.#held.filter(isBefore).map(({ segment }) => segment);
    this.#held = this.#held.filter((held) => !isBefore(held));
    return { segments, processedSeconds };
  }
}

function byStart(left: { readonly segment: AsrSegment }, right: { readonly segment: AsrSegment }): number {
  return left.segment.startSeconds - right.segment.startSeconds;
}
