/** Bytes of a header up to the end of the frame length. */
const LENGTH_END_BYTES = 6;

/** Counts the frames of an ADTS stream that is read in chunks of any size. */
export class AdtsFrameCounter {
  /** Number of frames that have begun. */
  count = 0;
  readonly #header = new Uint8Array(LENGTH_END_BYTES);
  #headerBytes = 0;
  /** Bytes of the current frame after its header. */
  #restBytes = 0;

  read(bytes: Uint8Array): void {
    for (let offset = 0; offset < bytes.length; ) {
      if (this.#restBytes > 0) {
        const skipped = Math.min(this.#restBytes, bytes.length - offset);
        this.#restBytes -= skipped;
        offset += skipped;
        continue;
      }
      this.#header[this.#headerBytes++] = bytes[offset++]!;
      if (this.#headerBytes < LENGTH_END_BYTES) continue;
      this.#headerBytes = 0;
      this.count++;
      // The 13-bit length of the frame, header included, starts at bit 30.
      const [, , , fourth = 0, fifth = 0, sixth = 0] = this.#header;
      const frameBytes = ((fourth & 0x03) << 11) | (fifth << 3) | (sixth >> 5);
      this.#restBytes = Math.max(0, frameBytes - LENGTH_END_BYTES);
    }
  }
}
