import { joinBytes } from '../bytes.ts';
import {
  emptyCopyWithCapacity,
  MP3_MONO_OVERHEAD_BYTES,
  parseMp3Frame,
  setMainDataBegin,
} from './mp3-frame.ts';

interface PendingFrame {
  readonly bytes: Uint8Array;
  /** The range of its main data area in the main data of the output. */
  readonly areaStart: number;
  readonly areaEnd: number;
}

/**
 * Removes the first frame of an MP3 stream. The main data of the next frames may begin inside it (the bit reservoir), so
 * the second frame is replaced by that of an encoding of the same samples at a lower bitrate, which fits without the
 * reservoir. The main data of the following frames is moved until it is where the encoder had put it; from there on frames
 * pass unchanged.
 */
export class Mp3EncoderDelayTrimmer {
  /** The main data of the input. */
  #input = new Uint8Array(0);
  #inputFrames = 0;
  #pending: PendingFrame[] = [];
  #areaStart = 0;
  #writtenTo = 0;
  #isCaughtUp = false;

  /**
   * Takes the next frame and returns the frames that are final. The second call needs the first two frames of the
   * encoding at a lower bitrate.
   */
  push(frame: Uint8Array, lowBitrateFrames?: readonly [Uint8Array, Uint8Array]): Uint8Array[] {
    if (this.#isCaughtUp) return [frame];
    const inputAreaStart = this.#input.length;
    this.#input = joinBytes([this.#input, mainDataArea(frame)]);
    this.#inputFrames++;
    if (this.#inputFrames === 1) return [];
    if (this.#inputFrames === 2) {
      if (lowBitrateFrames === undefined) throw new Error('The second MP3 frame needs its replacement.');
      this.#replaceSecond(frame, lowBitrateFrames);
      return [];
    }

    const { mainDataBegin, mainDataBytes } = parseMp3Frame(frame);
    const source = inputAreaStart - mainDataBegin;
    const start = Math.max(this.#writtenTo, this.#areaStart - mainDataBegin);
    this.#isCaughtUp = start === this.#areaStart - mainDataBegin;
    this.#addFrame(frame, start, mainDataBytes);
    // Once caught up, the rest of this main data area is as the encoder wrote it.
    const sourceEnd = this.#isCaughtUp ? this.#input.length : source + mainDataBytes;
    this.#write(start, this.#input.subarray(source, sourceEnd));
    return this.#isCaughtUp ? this.flush() : this.#takeBefore(start);
  }

  /** Returns the remaining frames at the end of the stream. */
  flush(): Uint8Array[] {
    return this.#takeBefore(Number.POSITIVE_INFINITY);
  }

  #replaceSecond(frame: Uint8Array, [first, second]: readonly [Uint8Array, Uint8Array]): void {
    const { mainDataBegin, mainDataBytes } = parseMp3Frame(second);
    const lowBitrateData = joinBytes([mainDataArea(first), mainDataArea(second)]);
    const source = mainDataArea(first).length - mainDataBegin;
    const replacement = frame.slice();
    replacement.set(second.subarray(4, MP3_MONO_OVERHEAD_BYTES), 4);
    this.#addFrame(replacement, 0, mainDataBytes);
    this.#write(0, lowBitrateData.subarray(source, source + mainDataBytes));
  }

  /** Appends a frame whose main data begins at `start`. A frame without enough space gets a higher bitrate. */
  #addFrame(frame: Uint8Array, start: number, mainDataBytes: number): void {
    const bytes = emptyCopyWithCapacity(frame, start + mainDataBytes - this.#areaStart);
    setMainDataBegin(bytes, this.#areaStart - start);
    const areaEnd = this.#areaStart + mainDataArea(bytes).length;
    this.#pending.push({ bytes, areaStart: this.#areaStart, areaEnd });
    this.#areaStart = areaEnd;
  }

  #write(start: number, data: Uint8Array): void {
    for (const { bytes, areaStart, areaEnd } of this.#pending) {
      const from = Math.max(start, areaStart);
      const to = Math.min(start + data.length, areaEnd);
      if (from < to) mainDataArea(bytes).set(data.subarray(from - start, to - start), from - areaStart);
    }
    this.#writtenTo = start + data.length;
  }

  /** Removes and returns the frames that are final: their main data area ends before the last written main data. */
  #takeBefore(position: number): Uint8Array[] {
    const firstPending = this.#pending.findIndex(({ areaEnd }) => areaEnd > position);
    return this.#pending
      .splice(0, firstPending === -1 ? this.#pending.length : firstPending)
      .map(({ bytes }) => bytes);
  }
}

function mainDataArea(frame: Uint8Array): Uint8Array {
  return frame.subarray(MP3_MONO_OVERHEAD_BYTES);
}
