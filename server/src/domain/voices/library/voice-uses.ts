/** Stores use counts of voices. */
export interface VoiceUseStore {
  /** Adds to the use counts of stored or built-in voices. */
  addUses(counts: ReadonlyMap<string, number>): Promise<void>;
}

/** A write takes as long as the text front end of a request, so that those of requests that arrive at once are combined. */
const WRITE_AFTER_MS = 500;

/** Counts the uses of voices, and writes the counts a moment later. */
export class VoiceUses {
  readonly #store: VoiceUseStore;
  readonly #onProblem: (voiceId: string, error: unknown) => void;
  readonly #writeAfterMs: number;
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly store: VoiceUseStore;
    /** Called when counts could not be written. */
    readonly onProblem: (voiceId: string, error: unknown) => void;
    readonly writeAfterMs?: number;
  }) {
    this.#store = options.store;
    this.#onProblem = options.onProblem;
    this.#writeAfterMs = options.writeAfterMs ?? WRITE_AFTER_MS;
  }

  count(voiceIds: readonly string[]): void {
    if (voiceIds.length === 0) return;
    for (const id of voiceIds) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#timer ??= setTimeout(() => void this.write(), this.#writeAfterMs).unref();
  }

  /** Writes what was counted so far. Never rejects. */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#counts.size === 0) return this.#writing;
    const counts = this.#counts;
    this.#counts = new Map();
    const written = this.#store.addUses(counts).catch((error: unknown) => {
      for (const id of counts.keys()) this.#onProblem(id, error);
    });
    this.#writing = Promise.all([this.#writing, written]).then(() => {});
    return this.#writing;
  }
}
