import type { AsrSegment } from './asr-task.ts';

/**
 * Merges the segments of several channels in order of time and determines positions from which an interrupted task
 * can resume. A resumed task transcribes every channel from such a position, so no emitted segment may extend beyond
 * it, except in a channel that was itself processed exactly up to it.
 */
export class SegmentMerge {
  #held: { readonly channel: number; readonly segment: AsrSegment }[] = [];

  add(channel: number, segment: AsrSegment): void {
    this.#held.push({ channel, segment });
  }

  /** Given the processed position of each channel, returns the last resume position and the segments before it. */
  settle(settledSeconds: readonly number[]): {
    readonly segments: readonly AsrSegment[];
    readonly processedSeconds: number;
  } {
    let processedSeconds = Math.min(...settledSeconds);
    // In reverse order: moving the position back may put it within an earlier segment.
    for (const { channel, segment } of this.#held.sort(byStart).toReversed()) {
      const spansPosition = segment.startSeconds < processedSeconds && segment.endSeconds > processedSeconds;
      if (spansPosition && processedSeconds < settledSeconds[channel]!)
        processedSeconds = segment.startSeconds;
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
