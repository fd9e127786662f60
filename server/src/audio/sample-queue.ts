/** A FIFO queue of samples. The output may share memory with the input, so neither may be modified. */
export class SampleQueue {
  #parts: Float32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(samples: Float32Array): void {
    if (samples.length === 0) return;
    this.#parts.push(samples);
    this.#length += samples.length;
  }

  /** Removes and returns the first `count` samples, or all when there are fewer. */
  take(count: number): Float32Array {
    const [first] = this.#parts;
    // The common case: one part holds all requested samples. Copying would cause most of the garbage of a stream.
    if (first !== undefined && count > 0 && count <= first.length) {
      if (count === first.length) this.#parts.shift();
      else this.#parts[0] = first.subarray(count);
      this.#length -= count;
      return first.subarray(0, count);
    }
    const taken = new Float32Array(Math.max(0, Math.min(count, this.#length)));
    let filled = 0;
    let emptiedParts = 0;
    while (filled < taken.length) {
      const part = this.#parts[emptiedParts] as Float32Array;
      const missing = taken.length - filled;
      taken.set(part.subarray(0, missing), filled);
      filled += Math.min(part.length, missing);
      if (part.length > missing) this.#parts[emptiedParts] = part.subarray(missing);
      else emptiedParts++;
    }
    this.#parts.splice(0, emptiedParts);
    this.#length -= taken.length;
    return taken;
  }

  /** Moves the first `count` samples, or all when there are fewer, to the end of another queue, without copying. */
  moveTo(other: SampleQueue, count: number): void {
    let remaining = Math.min(count, this.#length);
    while (remaining > 0) {
      const taken = this.take(Math.min(remaining, (this.#parts[0] as Float32Array).length));
      other.push(taken);
      remaining -= taken.length;
    }
  }

  /** Copies parts that refer to a small share of a larger array, which is then free. */
  detach(): void {
    for (const [index, part] of this.#parts.entries()) {
      if (part.byteLength < part.buffer.byteLength / 2) this.#parts[index] = part.slice();
    }
  }

  takeAll(): Float32Array {
    return this.take(this.#length);
  }

  /** Removes the first `count` samples and returns how many that were. */
  drop(count: number): number {
    const before = this.#length;
    this.moveTo(new SampleQueue(), count);
    return before - this.#length;
  }
}
