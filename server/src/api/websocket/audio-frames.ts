import { joinBytes } from '../../audio/bytes.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import { TimingWriter, type WireTiming } from '../responses/timed-events.ts';

/** Some clients throw away frames of 1 KiB or less, so only the last may be so small. */
const FRAME_BYTES_MIN = 1025;
const FRAME_BYTES_MAX = 64 * 1024;

/** Audio of one frame, with its timing where that was asked for. */
export interface AudioFrame extends Partial<WireTiming> {
  readonly audio: Uint8Array;
}

/** Puts the audio of a session into frames of a size that every client takes. */
export class AudioFrames {
  readonly #timings: TimingWriter | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #timing: TimedAudio | undefined;

  constructor(options: { readonly hasTimings: boolean }) {
    this.#timings = options.hasTimings ? new TimingWriter() : undefined;
  }

  /** Takes the next audio and returns the frames that are ready. */
  add(timed: TimedAudio): AudioFrame[] {
    const frames = this.#isOtherChunk(timed) ? this.#take() : [];
    if (timed.audio.length > 0) this.#held.push(timed.audio);
    this.#heldBytes += timed.audio.length;
    if (timed.timing !== undefined) this.#timing = timed;
    return this.#heldBytes < FRAME_BYTES_MIN ? frames : [...frames, ...this.#take()];
  }

  /** What is left at the end of the session. */
  finish(): AudioFrame[] {
    const isTimingLeft = this.#timings !== undefined && this.#timing !== undefined;
    return this.#heldBytes > 0 || isTimingLeft ? this.#take() : [];
  }

  /** A frame has room for the timing of one chunk only. */
  #isOtherChunk({ timing }: TimedAudio): boolean {
    const held = this.#timing?.timing;
    const isOther = held !== undefined && timing !== undefined && held.sequence !== timing.sequence;
    return this.#timings !== undefined && isOther;
  }

  #take(): AudioFrame[] {
    const bytes = joinBytes(this.#held);
    const timing = this.#timing ?? { audio: bytes, timing: undefined };
    this.#held = [];
    this.#heldBytes = 0;
    this.#timing = undefined;
    return inParts(bytes).map((audio, index) => ({
      audio,
      ...this.#timings?.write(index === 0 ? timing : { audio, timing: undefined }),
    }));
  }
}

/** Parts of about equal size, none above the largest frame. */
function inParts(bytes: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / FRAME_BYTES_MAX));
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
