/** Worker time spent on audio, and the duration of that audio; both decay exponentially. */
interface EngineCost {
  workSeconds: number;
  audioSeconds: number;
}

/** Prior for an engine without measurements. It has the weight of 2 seconds of audio. */
const INITIAL_COST: Readonly<EngineCost> = { workSeconds: 0.2, audioSeconds: 2 };
/** The weight of a measurement halves after this much audio. */
const HALF_LIFE_SECONDS = 60;

/** The measured cost of each engine: worker seconds per second of audio. */
export class EngineCosts {
  readonly #costs = new Map<string, EngineCost>();

  /** Records the worker time that audio of an engine took. */
  record(engine: string, { audioSeconds, workSeconds }: Readonly<EngineCost>): void {
    const cost = this.#costs.get(engine) ?? { ...INITIAL_COST };
    const decay = 0.5 ** (audioSeconds / HALF_LIFE_SECONDS);
    cost.workSeconds = cost.workSeconds * decay + workSeconds;
    cost.audioSeconds = cost.audioSeconds * decay + audioSeconds;
    this.#costs.set(engine, cost);
  }

  of(engine: string): number {
    const { workSeconds, audioSeconds } = this.#costs.get(engine) ?? INITIAL_COST;
    return workSeconds / audioSeconds;
  }
}
