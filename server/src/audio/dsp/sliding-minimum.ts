/** The smallest of the last `length` values, at a constant cost per value. */
export class SlidingMinimum {
  readonly #length: number;
  /** Candidates in rising order, each older than the next; a ring. */
  readonly #values: Float64Array;
  readonly #ages: Float64Array;
  #first = 0;
  #count = 0;
  #time = 0;

  constructor(length: number) {
    this.#length = length;
    this.#values = new Float64Array(length);
    this.#ages = new Float64Array(length);
  }

  /** Takes the next value and returns the minimum of the last `length`. */
  next(value: number): number {
    const { length } = this.#values;
    if (this.#count > 0 && (this.#ages[this.#first] as number) <= this.#time - this.#length) {
      this.#first = (this.#first + 1) % length;
      this.#count--;
    }
    while (this.#count > 0 && (this.#values[(this.#first + this.#count - 1) % length] as number) >= value) {
      this.#count--;
    }
    const slot = (this.#first + this.#count) % length;
    this.#values[slot] = value;
    this.#ages[slot] = this.#time++;
    this.#count++;
    return this.#values[this.#first] as number;
  }
}
