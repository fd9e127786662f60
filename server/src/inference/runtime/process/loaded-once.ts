/** What is loaded when it is first asked for, once. A failed load is tried again: its cause may be gone by then. */
export class LoadedOnce<Value> {
  readonly #load: () => Promise<Value>;
  #value: Promise<Value> | undefined;
  #isLoaded = false;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get(): Promise<Value> {
    if (this.#value === undefined) {
      this.#value = this.#begin();
      this.#value.catch(() => {
        this.#value = undefined;
      });
    }
    return this.#value;
  }

  async #begin(): Promise<Value> {
    const value = await this.#load();
    this.#isLoaded = true;
    return value;
  }
}

/** The engines of a process, by their names. */
export class LoadedEngines<Engine> {
  readonly #load: (name: string) => Promise<Engine>;
  readonly #engines = new Map<string, LoadedOnce<Engine>>();

  constructor(load: (name: string) => Promise<Engine>) {
    this.#load = load;
  }

  get(name: string): Promise<Engine> {
    const engine = this.#engines.get(name) ?? new LoadedOnce(() => this.#load(name));
    this.#engines.set(name, engine);
    return engine.get();
  }

  /** Those that are ready. */
  names(): string[] {
    return [...this.#engines].filter(([, engine]) => engine.isLoaded).map(([name]) => name);
  }
}
