/** A task of the simulation: the numbers 0 to `samples` - 1. */
export interface SimulatedTask {
  readonly id: number;
  readonly samples: number;
  readonly inputs: number;
}

export function encodeTask({ id, samples, inputs }: SimulatedTask): Uint8Array {
  return new Uint8Array(Uint32Array.of(id, samples, inputs).buffer);
}

export function decodeTask(payload: Uint8Array): SimulatedTask {
  const [id = 0, samples = 0, inputs = 0] = new Uint32Array(payload.slice().buffer);
  return { id, samples, inputs };
}

/** Consecutive samples. */
export interface SimulatedWindow {
  readonly start: number;
  readonly length: number;
}

export function encodeWindow({ start, length }: SimulatedWindow): Uint8Array {
  return new Uint8Array(Uint32Array.of(start, length).buffer);
}

export function decodeWindow(payload: Uint8Array): SimulatedWindow {
  const [start = 0, length = 0] = new Uint32Array(payload.slice().buffer);
  return { start, length };
}
