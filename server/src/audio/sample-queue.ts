/**
 * Samples in order, in at one end and out at the other. What comes out may share memory with what went in, so
 * neither may be changed.
 */
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
    // Mostly one part holds all that is wanted; copying it would be most of the garbage of a stream.
    if (first !== undefined && count > 0 && count <= first.length) {
      if (count === first.length) this.#parts.shift();
      else this.#parts[0] = first.subarray(count);
      this.#length -= count;
      return first.subarray(0, count);
    }
    const taken = new Float32Array(Math.max(0, Math.min(count, this.#length)));
    let filled = 0;
    let usedParts = 0;
    while (filled < taken.length) {
      const part = this.#parts[usedParts] as Float32Array;
      const wanted = taken.length - filled;
      taken.set(part.subarray(0, wanted), filled);
      filled += Math.min(part.length, wanted);
      if (part.length > wanted) this.#parts[usedParts] = part.subarray(wanted);
      else usedParts++;
    }
    this.#parts.splice(0, usedParts);
    this.#length -= taken.length;
    return taken;
  }

  /** Moves the first `count` samples, or all when there are fewer, to the end of another queue, without copying. */
  moveTo(other: SampleQueue, count: number): void {
    let left = Math.min(count, this.#length);
    while (left > 0) {
      const taken = this.take(Math.min(left, (this.#parts[0] as Float32Array).length));
      other.push(taken);
      left -= taken.length;
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
