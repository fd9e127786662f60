/** The weights of one mel band over the bins of a spectrum. */
export interface MelFilter {
  readonly firstBin: number;
  readonly weights: Float64Array;
}

const LINEAR_HZ_PER_MEL = 200 / 3;
const LOG_FROM_HZ = 1000;
const LOG_FROM_MEL = LOG_FROM_HZ / LINEAR_HZ_PER_MEL;
const LOG_STEP = Math.log(6.4) / 27;

/** Triangles of equal area, evenly spaced on Slaney's mel scale, from 0 Hz to half the sample rate. */
export function melFilters(options: {
  readonly bands: number;
  readonly transformLength: number;
  readonly sampleRateHz: number;
}): MelFilter[] {
  const { bands, transformLength, sampleRateHz } = options;
  const top = toMel(sampleRateHz / 2);
  const edges = Array.from({ length: bands + 2 }, (_, index) => toHz((top * index) / (bands + 1)));
  const binHz = sampleRateHz / transformLength;
  return Array.from({ length: bands }, (_, band) => {
    const [low, middle, high] = [edges[band]!, edges[band + 1]!, edges[band + 2]!];
    const firstBin = Math.ceil(low / binHz);
    const lastBin = Math.floor(high / binHz);
    const weights = Float64Array.from({ length: Math.max(0, lastBin - firstBin + 1) }, (_, index) => {
      const hz = (firstBin + index) * binHz;
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (Math.max(0, height) * 2) / (high - low);
    });
    return { firstBin, weights };
  });
}

function toMel(hz: number): number {
  return hz < LOG_FROM_HZ ? hz / LINEAR_HZ_PER_MEL : LOG_FROM_MEL + Math.log(hz / LOG_FROM_HZ) / LOG_STEP;
}

function toHz(mel: number): number {
  return mel < LOG_FROM_MEL
    ? mel * LINEAR_HZ_PER_MEL
    : LOG_FROM_HZ * Math.exp((mel - LOG_FROM_MEL) * LOG_STEP);
}
