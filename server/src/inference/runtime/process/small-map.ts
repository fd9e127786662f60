/**
 * A few values by number. A `Map` makes itself a new table every now and then as values come and go, and each old one keeps
 * what was in it, and the one after it, until the whole heap is collected: jobs with all their tensors would wait for that.
 */
export class SmallMap<Value> {
  readonly #ids: number[] = [];
  readonly #values: Value[] = [];

  get size(): number {
    return this.#ids.length;
  }

  ids(): number[] {
    return [...this.#ids];
  }

  values(): readonly Value[] {
    return this.#values;
  }

  has(id: number): boolean {
    return this.#ids.includes(id);
  }

  get(id: number): Value | undefined {
    const index = this.#ids.indexOf(id);
    return index === -1 ? undefined : this.#values[index];
  }

  /** The number must not be in use. */
  add(id: number, value: Value): void {
    this.#ids.push(id);
    this.#values.push(value);
  }

  /** Returns whether it was there. The others keep their order. */
  delete(id: number): boolean {
    const index = this.#ids.indexOf(id);
    if (index === -1) return false;
    this.#ids.splice(index, 1);
    this.#values.splice(index, 1);
    return true;
  }
}
