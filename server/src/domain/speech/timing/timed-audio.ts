import type { Timeline } from './timeline.ts';
import type { ChunkTiming } from './timing.ts';

/** The next bytes of an audio file, with the timing that became available. */
export interface TimedAudio {
  /** Empty if the event carries timing only. */
  readonly audio: Uint8Array;
  readonly timing: ChunkTiming | undefined;
}

const NO_BYTES = new Uint8Array(0);

/** Adds the timing of the timeline to the bytes of an audio file. */
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
