import type { Random } from './random.ts';

/** The faults of one simulation. */
export interface FaultProfile {
  readonly hasFaults: boolean;
  /** Probabilities per message. */
  readonly loss: number;
  readonly duplication: number;
  /** Probability that a message takes up to `slowMs`, so that later ones overtake it. */
  readonly slow: number;
  readonly slowMs: number;
  /** Numbers of faults during the simulation. */
  readonly workerDeaths: number;
  readonly gatewayDeaths: number;
  readonly pauses: number;
  readonly partitions: number;
  readonly drains: number;
  /** Probability per window that the engine process exits. */
  readonly engineLoss: number;
  /** Probability per attempt that the engine hangs. */
  readonly engineHang: number;
}

const NO_FAULTS: FaultProfile = {
  hasFaults: false,
  loss: 0,
  duplication: 0,
  slow: 0,
  slowMs: 0,
  workerDeaths: 0,
  gatewayDeaths: 0,
  pauses: 0,
  partitions: 0,
  drains: 0,
  engineLoss: 0,
  engineHang: 0,
};

/** One simulation in eight has no faults; the others have a random mixture. */
export function chooseFaults(random: Random): FaultProfile {
  if (random.chance(1 / 8)) return NO_FAULTS;
  const sometimes = (value: number) => (random.chance(0.5) ? value : 0);
  return {
    hasFaults: true,
    loss: sometimes(random.next() * 0.2),
    duplication: sometimes(random.next() * 0.2),
    slow: sometimes(random.next() * 0.3),
    slowMs: random.integer(5, 800),
    workerDeaths: sometimes(random.integer(1, 3)),
    gatewayDeaths: sometimes(random.integer(0, 1)),
    pauses: sometimes(random.integer(1, 3)),
    partitions: sometimes(random.integer(1, 2)),
    drains: sometimes(1),
    engineLoss: sometimes(random.next() * 0.03),
    engineHang: random.chance(0.1) ? 0.2 : 0,
  };
}
