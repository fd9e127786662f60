/** Thrown when a frame extends beyond the available bytes. */
export class IncompleteFrame extends Error {
  override readonly name = 'IncompleteFrame';
}

/** Thrown when the bits are not a valid frame. */
export class InvalidFrame extends Error {
  override readonly name = 'InvalidFrame';
}

/** Reads bits, most significant first. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position: number;
  /** Bits taken from the bytes but not yet read, and their number. */
  #held = 0;
  #heldBits = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#position = offset;
  }

  /** Discards the remaining bits of a partly read byte and returns the offset of the next byte. */
  alignToByte(): number {
    this.#held = 0;
    this.#heldBits = 0;
    return this.#position;
  }

  /** Reads an unsigned integer of at most 32 bits. */
  read(count: number): number {
    if (count > 24) return this.read(count - 16) * 2 ** 16 + this.read(16);
    while (this.#heldBits < count) this.#pull();
    this.#heldBits -= count;
    const value = (this.#held >>> this.#heldBits) & ((1 << count) - 1);
    this.#held &= (1 << this.#heldBits) - 1;
    return value;
  }

  /** Reads a two's complement integer of at most 33 bits: a side channel has one bit more than 32. */
  readSigned(count: number): number {
    if (count === 0) return 0;
    if (count > 32) return this.read(1) * -(2 ** 32) + this.read(32);
    const value = this.read(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Reads a unary code: the number of zeros before the next one. */
  readUnary(): number {
    let zeros = 0;
    while (this.#held === 0) {
      zeros += this.#heldBits;
      this.#heldBits = 0;
      this.#pull();
    }
    const leading = Math.clz32(this.#held) - (32 - this.#heldBits);
    this.#heldBits -= leading + 1;
    this.#held &= (1 << this.#heldBits) - 1;
    return zeros + leading;
  }

  /**
   * Reads Rice codes of the given parameter into `target`, from `start` up to `end`. Nearly all bits of a file are such
   * codes, so the loop keeps its state in local variables instead of calling `read`.
   */
  readRice(target: Int32Array, start: number, end: number, parameter: number): void {
    // More bits might overflow the 32 bits of state.
    if (parameter > 16) {
      for (let i = start; i < end; i++)
        target[i] = decodeZigzag(this.readUnary() * 2 ** parameter + this.read(parameter));
      return;
    }
    const bytes = this.#bytes;
    let position = this.#position;
    let held = this.#held;
    let heldBits = this.#heldBits;
    for (let i = start; i < end; i++) {
      let quotient = 0;
      while (held === 0) {
        quotient += heldBits;
        if (position >= bytes.length) throw new IncompleteFrame();
        held = bytes[position++] as number;
        heldBits = 8;
      }
      const zeros = Math.clz32(held) - (32 - heldBits);
      quotient += zeros;
      heldBits -= zeros + 1;
      held &= (1 << heldBits) - 1;
      while (heldBits < parameter) {
        if (position >= bytes.length) throw new IncompleteFrame();
        held = (held << 8) | (bytes[position++] as number);
        heldBits += 8;
      }
      heldBits -= parameter;
      target[i] = decodeZigzag(((quotient << parameter) | (held >>> heldBits)) >>> 0);
      held &= (1 << heldBits) - 1;
    }
    this.#position = position;
    this.#held = held;
    this.#heldBits = heldBits;
  }

  #pull(): void {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new IncompleteFrame();
    this.#position++;
    // `read` needs at most 24 bits at a time, so 32 bits suffice.
    this.#held = (this.#held << 8) | byte;
    this.#heldBits += 8;
  }
}

/** Zigzag decoding: 0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2. */
function decodeZigzag(code: number): number {
  return (code >>> 1) ^ -(code & 1);
}
