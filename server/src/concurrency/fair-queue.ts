/** Items that wait, by owner. Owners are served in turn, each owner in order of arrival. */
export class FairQueue<Item> {
  /** The first owner is served next. */
  readonly #waiting = new Map<string, Item[]>();

  add(owner: string, item: Item): void {
    const items = this.#waiting.get(owner);
    if (items === undefined) this.#waiting.set(owner, [item]);
    else items.push(item);
  }

  remove(owner: string, item: Item): void {
    const left = this.#waiting.get(owner)?.filter((other) => other !== item) ?? [];
    if (left.length === 0) this.#waiting.delete(owner);
    else this.#waiting.set(owner, left);
  }

  /** Removes the next item and returns it; undefined when none waits. */
  take(): Item | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [owner, items] = next;
    const item = items.shift();
    // The owner goes to the end.
    this.#waiting.delete(owner);
    if (items.length > 0) this.#waiting.set(owner, items);
    return item;
  }
}
