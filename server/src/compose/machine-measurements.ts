import type { Config } from '../config/config.ts';
import { listMeasurements, removeMeasurements } from '../inference/runtime/machine/measurement-cache.ts';

/** The cached measurements of the machine, for the command line. */
export interface MachineMeasurements {
  list(): ReturnType<typeof listMeasurements>;
  /** Removes them, so that the next start measures again; returns their number. */
  remove(): Promise<number>;
}

export function openMachineMeasurements({ modelsFolder }: Config): MachineMeasurements {
  return {
    list: () => listMeasurements(modelsFolder),
    remove: () => removeMeasurements(modelsFolder),
  };
}
