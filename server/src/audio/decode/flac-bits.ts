/** Thrown when a frame reaches beyond the bytes at hand; a longer view may hold it. */
export class OutOfBits extends Error {
  override readonly name = 'OutOfBits';
}

/** Thrown when the bits cannot be a frame. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** Reads bits from the most significant on. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position: number;
  /** Bits that were read from the bytes and not yet handed out, and how many. */
  #held = 0;
  #heldBits = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#position = offset;
  }

  /** Where the next whole byte lies. Bits of a byte that was begun are passed over. */
  alignToByte(): number {
    this.#held = 0;
    this.#heldBits = 0;
    return this.#position;
  }

  /** The next bits as a number without sign; at most 32. */
  read(count: number): number {
    if (count > 24) return this.read(count - 16) * 2 ** 16 + this.read(16);
    while (this.#heldBits < count) this.#pull();
    this.#heldBits -= count;
    const value = (this.#held >>> this.#heldBits) & ((1 << count) - 1);
    this.#held &= (1 << this.#heldBits) - 1;
    return value;
  }

  /** The next bits as a number in two's complement; at most 33, since a side channel has one bit more. */
  readSigned(count: number): number {
    if (count === 0) return 0;
    if (count > 32) return this.read(1) * -(2 ** 32) + this.read(32);
    const value = this.read(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** How many zeros stand before the next one, which is taken as well. */
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
   * Fills with Rice codes of the given parameter, from `start` up to `end`. Nearly all bits of a file are such codes,
   * so the loop keeps its state in locals instead of going through `read`.
   */
  readRice(target: Int32Array, start: number, end: number, parameter: number): void {
    // So many bits more might not fit into what is held.
    if (parameter > 16) {
      for (let i = start; i < end; i++)
        target[i] = unfold(this.readUnary() * 2 ** parameter + this.read(parameter));
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
        if (position >= bytes.length) throw new OutOfBits();
        held = bytes[position++] as number;
        heldBits = 8;
      }
      const zeros = Math.clz32(held) - (32 - heldBits);
      quotient += zeros;
      heldBits -= zeros + 1;
      held &= (1 << heldBits) - 1;
      while (heldBits < parameter) {
        if (position >= bytes.length) throw new OutOfBits();
        held = (held << 8) | (bytes[position++] as number);
        heldBits += 8;
      }
      heldBits -= parameter;
      target[i] = unfold(((quotient << parameter) | (held >>> heldBits)) >>> 0);
      held &= (1 << heldBits) - 1;
    }
    this.#position = position;
    this.#held = held;
    this.#heldBits = heldBits;
  }

  #pull(): void {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new OutOfBits();
    this.#position++;
    // At most 24 bits are wanted at a time, so that 32 hold them.
    this.#held = (this.#held << 8) | byte;
    this.#heldBits += 8;
  }
}

/** Numbers without sign stand for 0, -1, 1, -2, 2 and so on. */
function unfold(code: number): number {
  return (code >>> 1) ^ -(code & 1);
}
