import { joinBytes } from '../../audio/bytes.ts';
import type { TimedAudio } from '../../domain/speech/timing/timed-audio.ts';
import { TimingWriter, type WireTiming } from '../responses/timed-events.ts';

/** Some clients discard frames of 1 KiB or less, so only the last frame may be that small. */
const FRAME_BYTES_MIN = 1025;
const FRAME_BYTES_MAX = 64 * 1024;

/** Audio of one frame, with its timing when the client requested timestamps. */
export interface AudioFrame extends Partial<WireTiming> {
  readonly audio: Uint8Array;
}

/** Splits and joins the audio of a session into frames of 1,025 bytes to 64 KiB. */
export class AudioFramer {
  readonly #timings: TimingWriter | undefined;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #timing: TimedAudio | undefined;

  constructor(options: { readonly hasTimings: boolean }) {
    this.#timings = options.hasTimings ? new TimingWriter() : undefined;
  }

  /** Adds audio and returns the frames that are complete. */
  add(timed: TimedAudio): AudioFrame[] {
    const frames = this.#isNextChunk(timed) ? this.#take() : [];
    if (timed.audio.length > 0) this.#pending.push(timed.audio);
    this.#pendingBytes += timed.audio.length;
    if (timed.timing !== undefined) this.#timing = timed;
    return this.#pendingBytes < FRAME_BYTES_MIN ? frames : [...frames, ...this.#take()];
  }

  /** Returns the remaining frames at the end of the session. */
  finish(): AudioFrame[] {
    const hasTiming = this.#timings !== undefined && this.#timing !== undefined;
    return this.#pendingBytes > 0 || hasTiming ? this.#take() : [];
  }

  /** A frame carries the timing of one chunk only. */
  #isNextChunk({ timing }: TimedAudio): boolean {
    const pending = this.#timing?.timing;
    const isNext = pending !== undefined && timing !== undefined && pending.sequence !== timing.sequence;
    return this.#timings !== undefined && isNext;
  }

  #take(): AudioFrame[] {
    const bytes = joinBytes(this.#pending);
    const timing = this.#timing ?? { audio: bytes, timing: undefined };
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#timing = undefined;
    return splitEvenly(bytes).map((audio, index) => ({
      audio,
      ...this.#timings?.write(index === 0 ? timing : { audio, timing: undefined }),
    }));
  }
}

/** Splits into parts of about equal size, each at most `FRAME_BYTES_MAX`. */
function splitEvenly(bytes: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / FRAME_BYTES_MAX));
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
