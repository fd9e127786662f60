import type { Timeline } from './timeline.ts';
import type { ChunkTiming } from './timing.ts';

/** The next bytes of an audio file, and what became known of its timing with them. */
export interface TimedAudio {
  /** Empty when there is only timing to tell. */
  readonly audio: Uint8Array;
  readonly timing: ChunkTiming | undefined;
}

const NO_BYTES = new Uint8Array(0);

/** An audio file as it is made, each stretch with the timing that became known while it was made. */
export async function* withTimings(
  body: AsyncIterable<Uint8Array>,
  timeline: Timeline,
): AsyncGenerator<TimedAudio> {
  for await (const audio of body) {
    const [timing, ...others] = timeline.take();
    yield { audio, timing };
    for (const other of others) yield { audio: NO_BYTES, timing: other };
  }
  for (const timing of timeline.take()) yield { audio: NO_BYTES, timing };
}
