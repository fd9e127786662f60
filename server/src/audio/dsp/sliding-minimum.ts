/** The minimum of the last `length` values, in amortized constant time per value. */
export class SlidingMinimum {
  readonly #length: number;
  /** A ring buffer of candidates in ascending order, each older than the next. */
  readonly #values: Float64Array;
  readonly #times: Float64Array;
  #first = 0;
  #count = 0;
  #time = 0;

  constructor(length: number) {
    this.#length = length;
    this.#values = new Float64Array(length);
    this.#times = new Float64Array(length);
  }

  /** Takes the next value and returns the minimum of the last `length`. */
  next(value: number): number {
    const { length } = this.#values;
    if (this.#count > 0 && (this.#times[this.#first] as number) <= this.#time - this.#length) {
      this.#first = (this.#first + 1) % length;
      this.#count--;
    }
    while (this.#count > 0 && (this.#values[(this.#first + this.#count - 1) % length] as number) >= value) {
      this.#count--;
    }
    const slot = (this.#first + this.#count) % length;
    this.#values[slot] = value;
    this.#times[slot] = this.#time++;
    this.#count++;
    return this.#values[this.#first] as number;
  }
}
