import { joinBytes } from '../bytes.ts';
import { emptyCopyWithRoom, MP3_MONO_OVERHEAD_BYTES, parseMp3Frame, setMainDataBegin } from './mp3-frame.ts';

interface PendingFrame {
  readonly bytes: Uint8Array;
  /** Where its room lies in the output's main data. */
  readonly roomStart: number;
  readonly roomEnd: number;
}

/**
 * Cuts the first frame off an MP3 stream. That is more than leaving it out, since the main data of the
 * next frames may begin inside it (the bit reservoir). So the second frame is replaced by that of a
 * leaner encoding of the same samples, which has room for all of its data, and what follows is moved
 * within the frames until it stands where the encoder had put it. From there on frames pass unchanged.
 */
export class Mp3LeadInCutter {
  /** Main data of the stream so far. */
  #input = new Uint8Array(0);
  #inputFrames = 0;
  #pending: PendingFrame[] = [];
  #roomStart = 0;
  #writtenTo = 0;
  #isCaughtUp = false;

  /**
   * Takes the next frame and returns the frames that are final. With the second one comes its
   * replacement: the first two frames of the leaner encoding.
   */
  push(frame: Uint8Array, leanOpening?: readonly [Uint8Array, Uint8Array]): Uint8Array[] {
    if (this.#isCaughtUp) return [frame];
    const inputRoomStart = this.#input.length;
    this.#input = joinBytes([this.#input, mainDataRoom(frame)]);
    this.#inputFrames++;
    if (this.#inputFrames === 1) return [];
    if (this.#inputFrames === 2) {
      if (leanOpening === undefined) throw new Error('The second MP3 frame needs its replacement.');
      this.#open(frame, leanOpening);
      return [];
    }

    const { mainDataBegin, mainDataBytes } = parseMp3Frame(frame);
    const source = inputRoomStart - mainDataBegin;
    const start = Math.max(this.#writtenTo, this.#roomStart - mainDataBegin);
    this.#isCaughtUp = start === this.#roomStart - mainDataBegin;
    this.#addFrame(frame, start, mainDataBytes);
    // Once caught up, what follows in this frame's room is as the encoder wrote it.
    const sourceEnd = this.#isCaughtUp ? this.#input.length : source + mainDataBytes;
    this.#write(start, this.#input.subarray(source, sourceEnd));
    return this.#isCaughtUp ? this.flush() : this.#takeBefore(start);
  }

  /** Returns what is still held back at the end. */
  flush(): Uint8Array[] {
    return this.#takeBefore(Number.POSITIVE_INFINITY);
  }

  #open(frame: Uint8Array, [leanFirst, leanSecond]: readonly [Uint8Array, Uint8Array]): void {
    const { mainDataBegin, mainDataBytes } = parseMp3Frame(leanSecond);
    const leanInput = joinBytes([mainDataRoom(leanFirst), mainDataRoom(leanSecond)]);
    const source = mainDataRoom(leanFirst).length - mainDataBegin;
    const opening = frame.slice();
    opening.set(leanSecond.subarray(4, MP3_MONO_OVERHEAD_BYTES), 4);
    this.#addFrame(opening, 0, mainDataBytes);
    this.#write(0, leanInput.subarray(source, source + mainDataBytes));
  }

  /** Appends a frame whose main data begins at `start`. A frame that is too small gets a higher bitrate. */
  #addFrame(frame: Uint8Array, start: number, mainDataBytes: number): void {
    const bytes = emptyCopyWithRoom(frame, start + mainDataBytes - this.#roomStart);
    setMainDataBegin(bytes, this.#roomStart - start);
    const roomEnd = this.#roomStart + mainDataRoom(bytes).length;
    this.#pending.push({ bytes, roomStart: this.#roomStart, roomEnd });
    this.#roomStart = roomEnd;
  }

  #write(start: number, data: Uint8Array): void {
    for (const { bytes, roomStart, roomEnd } of this.#pending) {
      const from = Math.max(start, roomStart);
      const to = Math.min(start + data.length, roomEnd);
      if (from < to) mainDataRoom(bytes).set(data.subarray(from - start, to - start), from - roomStart);
    }
    this.#writtenTo = start + data.length;
  }

  /** Frames whose room ends before the main data written last cannot change any more. */
  #takeBefore(position: number): Uint8Array[] {
    const firstOpen = this.#pending.findIndex(({ roomEnd }) => roomEnd > position);
    return this.#pending
      .splice(0, firstOpen === -1 ? this.#pending.length : firstOpen)
      .map(({ bytes }) => bytes);
  }
}

function mainDataRoom(frame: Uint8Array): Uint8Array {
  return frame.subarray(MP3_MONO_OVERHEAD_BYTES);
}
