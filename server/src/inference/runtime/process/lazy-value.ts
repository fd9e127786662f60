/** A value that is loaded once, on the first access. A failed load is retried on the next access. */
export class LazyValue<Value> {
  readonly #load: () => Promise<Value>;
  #value: Promise<Value> | undefined;
  #loadSeconds: number | undefined;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  get isLoaded(): boolean {
    return this.#loadSeconds !== undefined;
  }

  /** Duration of the load; undefined before its end. */
  get loadSeconds(): number | undefined {
    return this.#loadSeconds;
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
    const startedAtMs = performance.now();
    const value = await this.#load();
    this.#loadSeconds = (performance.now() - startedAtMs) / 1000;
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

  /** Duration of the load of each loaded engine. */
  loadSeconds(): Record<string, number> {
    return Object.fromEntries(
      [...this.#engines].flatMap(([name, { loadSeconds }]) =>
        loadSeconds === undefined ? [] : [[name, loadSeconds]],
      ),
    );
  }

  /** Names of the loaded engines. */
  names(): string[] {
    return [...this.#engines].filter(([, engine]) => engine.isLoaded).map(([name]) => name);
  }
}
