import type { FaultProfile } from './fault-profile.ts';
import type { Random } from './random.ts';
import type { SimulatedClock } from './simulated-clock.ts';

interface Node {
  readonly receive: (from: string, message: unknown) => void;
  /** Nothing receives messages to this node. */
  readonly noResponder: (nodeId: string) => void;
}

/** Delivers messages late, twice, in another order, or not at all. Paused nodes receive them when they continue. */
export class SimulatedNetwork {
  readonly #random: Random;
  readonly #clock: SimulatedClock;
  readonly #faults: FaultProfile;
  readonly #faultsEndMs: number;
  readonly #nodes = new Map<string, Node>();
  readonly #disconnectedUntilMs = new Map<string, number>();
  readonly #pausedUntilMs = new Map<string, number>();

  constructor(options: {
    readonly random: Random;
    readonly clock: SimulatedClock;
    readonly faults: FaultProfile;
    readonly faultsEndMs: number;
  }) {
    this.#random = options.random;
    this.#clock = options.clock;
    this.#faults = options.faults;
    this.#faultsEndMs = options.faultsEndMs;
  }

  join(id: string, node: Node): void {
    this.#nodes.set(id, node);
  }

  leave(id: string): void {
    this.#nodes.delete(id);
  }

  /** Ids of the nodes that are connected. */
  members(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  pause(id: string, durationMs: number): void {
    this.#pausedUntilMs.set(id, this.#clock.nowMs + durationMs);
  }

  disconnect(id: string, durationMs: number): void {
    this.#disconnectedUntilMs.set(id, this.#clock.nowMs + durationMs);
  }

  /** Runs a function of a node at this time, or when the node continues after a pause. */
  runOn(id: string, run: () => void): void {
    const pausedMs = (this.#pausedUntilMs.get(id) ?? 0) - this.#clock.nowMs;
    if (pausedMs <= 0) run();
    else this.#clock.after(pausedMs, () => this.runOn(id, run));
  }

  send(from: string, to: string, message: unknown): void {
    const { loss, duplication } = this.#current();
    if (this.#isDisconnected(from)) return;
    if (!this.#nodes.has(to)) {
      if (this.#random.chance(0.8)) this.#clock.after(2, () => this.#report(from, to));
      return;
    }
    const copies = this.#random.chance(duplication) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (!this.#random.chance(loss))
        this.#clock.after(this.#delayMs(), () => this.#deliver(from, to, message));
    }
  }

  #current(): Pick<FaultProfile, 'loss' | 'duplication' | 'slow'> {
    return this.#clock.nowMs < this.#faultsEndMs ? this.#faults : { loss: 0, duplication: 0, slow: 0 };
  }

  #delayMs(): number {
    const isSlow = this.#random.chance(this.#current().slow);
    // Without slow messages the order between two nodes is kept, as NATS does.
    return isSlow ? this.#random.next() * this.#faults.slowMs : 1;
  }

  #deliver(from: string, to: string, message: unknown): void {
    if (this.#isDisconnected(to)) return;
    this.runOn(to, () => this.#nodes.get(to)?.receive(from, message));
  }

  #report(from: string, to: string): void {
    if (!this.#isDisconnected(from)) this.runOn(from, () => this.#nodes.get(from)?.noResponder(to));
  }

  #isDisconnected(id: string): boolean {
    return this.#clock.nowMs < (this.#disconnectedUntilMs.get(id) ?? 0);
  }
}
