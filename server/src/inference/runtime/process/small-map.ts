/**
 * A map from numbers to a few values, as two arrays. A `Map` is rehashed as entries come and go, and each old table
 * references its entries and the next table until a full garbage collection, which would retain the tensors of
 * finished jobs.
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

  /** The id must not be in use. */
  add(id: number, value: Value): void {
    this.#ids.push(id);
    this.#values.push(value);
  }

  /** Returns whether the id was present. The order of the other entries does not change. */
  delete(id: number): boolean {
    const index = this.#ids.indexOf(id);
    if (index === -1) return false;
    this.#ids.splice(index, 1);
    this.#values.splice(index, 1);
    return true;
  }
}
