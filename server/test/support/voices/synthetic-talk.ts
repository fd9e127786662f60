/** Synthetic speech with syllables, a pitch contour, formants, sibilants and pauses. */
export function synthesizeTalk({
  seconds = 10,
  sampleRateHz = 24000,
  pitchHz = 120,
  tractLength = 1,
  seed = 1,
}: {
  readonly seconds?: number;
  readonly sampleRateHz?: number;
  readonly pitchHz?: number;
  /** Vocal tract length relative to an adult male. */
  readonly tractLength?: number;
  readonly seed?: number;
}): Float32Array {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const samples = new Float32Array(Math.round(seconds * sampleRateHz));
  const resonators = [0, 1, 2].map(() => ({ first: 0, second: 0 }));
  let phase = 0;
  for (let at = 0; at < samples.length; ) {
    const isPause = random() < 0.12;
    const isSibilant = !isPause && random() < 0.25;
    const length = Math.round((isPause ? 0.35 : 0.12 + 0.12 * random()) * sampleRateHz);
    const formants = VOWELS[Math.floor(random() * VOWELS.length)] as readonly number[];
    const from = pitchHz * (0.85 + 0.35 * random());
    const to = pitchHz * (0.8 + 0.3 * random());
    for (let i = 0; i < length && at < samples.length; i++, at++) {
      const progress = i / length;
      const breath = random() - 0.5;
      phase += (from + (to - from) * progress) / sampleRateHz;
      if (phase >= 1) phase -= 1;
      const envelope = isPause ? 0 : Math.sin(Math.PI * progress) ** 0.5;
      const source = isSibilant ? 0 : (phase < 0.1 ? 1 : -0.11) + 0.05 * breath;
      let voiced = 0;
      for (const [index, resonator] of resonators.entries()) {
        const hz = (formants[index] as number) / tractLength;
        voiced += resonate(resonator, source, hz, sampleRateHz) / (index + 1);
      }
      // The difference of two random numbers is high-pass noise.
      const hiss = isSibilant ? 0.12 * (breath - (random() - 0.5)) : 0;
      samples[at] = envelope * (0.05 * voiced + hiss) + 0.0002 * breath;
    }
  }
  return samples;
}

/** The first three formants of five vowels of an adult male, in Hz. */
const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [300, 870, 2240],
  [530, 1840, 2480],
  [570, 840, 2410],
] as const;

/** A two-pole resonator with a bandwidth of 90 Hz. */
function resonate(
  state: { first: number; second: number },
  input: number,
  hz: number,
  sampleRateHz: number,
): number {
  const radius = Math.exp((-Math.PI * 90) / sampleRateHz);
  const output =
    input +
    2 * radius * Math.cos((2 * Math.PI * hz) / sampleRateHz) * state.first -
    radius * radius * state.second;
  state.second = state.first;
  state.first = output;
  return output * (1 - radius);
}
