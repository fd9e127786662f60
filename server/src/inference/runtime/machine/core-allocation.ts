/** Allocation of the cores of a machine: number of workers and threads per worker. */
export interface CoreAllocation {
  readonly workers: number;
  readonly threads: number;
}

/**
 * As many workers as possible, which use all cores: one engine in two processes speaks more than one engine with two
 * threads, and a worker that fails leaves others.
 */
export function allocateCores(cores: number, workersMax: number): CoreAllocation {
  const threads = Math.max(1, Math.ceil(cores / workersMax));
  return { threads, workers: Math.max(1, Math.floor(cores / threads)) };
}
