import type { Delivery } from '../../../domain/engines/delivery.ts';

/** The delivery of an utterance over time, one value per step of the engine's clock. */
export interface DeliveryTracks {
  readonly length: number;
  /** Pitch shift in semitones. */
  readonly offset: Float32Array;
  /** Factor on the deviation of the pitch from its median. */
  readonly range: Float32Array;
  readonly levelDb: Float32Array;
  readonly effort: Float32Array;
  readonly breath: Float32Array;
}

/** A delivery and its duration in steps. */
export interface DeliverySpan {
  readonly delivery: Delivery;
  readonly steps: number;
}

export const TREMOR_HZ = 5.6;
/** Transition between two deliveries; an abrupt change is audible as a splice. */
const TRANSITION_SECONDS = 0.1;

/** Expands deliveries over time, with smooth transitions between neighbouring spans. */
export function createDeliveryTracks(spans: readonly DeliverySpan[], stepsPerSecond: number): DeliveryTracks {
  const length = spans.reduce((sum, { steps }) => sum + steps, 0);
  const track = (read: (delivery: Delivery) => number) =>
    smooth(fill(spans, length, read), Math.round((TRANSITION_SECONDS * stepsPerSecond) / 2));
  const offset = track(({ pitchSemitones }) => pitchSemitones);
  const tremor = track(({ tremorSemitones }) => tremorSemitones);
  const slope = slopes(spans, length);
  for (let step = 0; step < length; step++) {
    const phase = (2 * Math.PI * TREMOR_HZ * step) / stepsPerSecond;
    offset[step]! += slope[step]! + tremor[step]! * Math.sin(phase);
  }
  return {
    length,
    offset,
    range: track(({ pitchRange }) => pitchRange),
    levelDb: track(({ levelDb }) => levelDb),
    effort: track(({ effort }) => effort),
    breath: track(({ breath }) => breath),
  };
}

function fill(
  spans: readonly DeliverySpan[],
  length: number,
  read: (delivery: Delivery) => number,
): Float32Array {
  const values = new Float32Array(length);
  let from = 0;
  for (const { delivery, steps } of spans) {
    values.fill(read(delivery), from, from + steps);
    from += steps;
  }
  return values;
}

/** The rise of each run of equal slope, centred on the run. */
function slopes(spans: readonly DeliverySpan[], length: number): Float32Array {
  const perStep = fill(spans, length, ({ pitchSlopeSemitones }) => pitchSlopeSemitones);
  const values = new Float32Array(length);
  for (let from = 0; from < length; ) {
    const rise = perStep[from]!;
    let to = from + 1;
    while (to < length && perStep[to] === rise) to++;
    for (let step = from; step < to; step++) values[step] = rise * ((step - from) / (to - from) - 0.5);
    from = to;
  }
  return values;
}

/** Moving average over `reach` values to either side. */
function smooth(values: Float32Array, reach: number): Float32Array {
  const first = values[0] ?? 0;
  if (reach === 0 || values.every((value) => value === first)) return values;
  const sums = new Float64Array(values.length + 1);
  for (const [index, value] of values.entries()) sums[index + 1] = sums[index]! + value;
  return values.map((_, index) => {
    const from = Math.max(0, index - reach);
    const to = Math.min(values.length, index + reach + 1);
    return (sums[to]! - sums[from]!) / (to - from);
  });
}
