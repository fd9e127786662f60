/** A value that is loaded once, on the first access. A failed load is retried on the next access. */
export class LazyValue<Value> {
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
      this.#value = this.#start();
      this.#value.catch(() => {
        this.#value = undefined;
      });
    }
    return this.#value;
  }

  async #start(): Promise<Value> {
    const value = await this.#load();
    this.#isLoaded = true;
    return value;
  }
}

/** The engines of a process by name, each loaded on the first access. */
export class LazyEngines<Engine> {
  readonly #load: (name: string) => Promise<Engine>;
  readonly #engines = new Map<string, LazyValue<Engine>>();

  constructor(load: (name: string) => Promise<Engine>) {
    this.#load = load;
  }

  get(name: string): Promise<Engine> {
    const engine = this.#engines.get(name) ?? new LazyValue(() => this.#load(name));
    this.#engines.set(name, engine);
    return engine.get();
  }

  /** Names of the loaded engines. */
  names(): string[] {
    return [...this.#engines].filter(([, engine]) => engine.isLoaded).map(([name]) => name);
  }
}
