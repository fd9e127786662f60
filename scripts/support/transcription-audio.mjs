// Noise, telephone lines and conversations, for check-transcription.mjs.

export const RATE_HZ = 16_000;
const FRAME_SECONDS = 0.01;
const SILENT_DB = -40;
const BABBLE_VOICES = 6;
const TELEPHONE_TAPS = 63;
const MU = 255;

/** Deterministic noise with a standard deviation of 1. */
export function whiteNoise(length) {
  let state = 12_345;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 2 ** 32;
  };
  return Float32Array.from(
    { length },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

/** Several people at once, each with the same level. */
export function babbleOf(clips, length) {
  const noise = new Float32Array(length);
  for (const { samples } of clips.slice(0, BABBLE_VOICES)) {
    const gain = 1 / rms(samples);
    for (let at = 0; at < length; at++) noise[at] += gain * samples[at % samples.length];
  }
  return noise;
}

export function addNoise(samples, noise, snrDb) {
  const gain = (rms(samples) / rms(noise)) * 10 ** (-snrDb / 20);
  const mixed = samples.map((sample, at) => sample + gain * noise[at]);
  const peak = mixed.reduce((largest, sample) => Math.max(largest, Math.abs(sample)), 0);
  return peak > 1 ? mixed.map((sample) => sample / peak) : mixed;
}

/** 300 to 3400 Hz in µ-law of 8 bits at 8 kHz. */
export function overTelephone(samples) {
  const filtered = bandPass(samples);
  return filtered.map((_, at) => {
    // Two samples at 16 kHz are one at 8 kHz; the second is interpolated.
    const [left, right] = [filtered[at - (at % 2)], filtered[Math.min(filtered.length - 1, at + (at % 2))]];
    return (muLaw(left) + muLaw(right)) / 2;
  });
}

function bandPass(samples) {
  const middle = (TELEPHONE_TAPS - 1) / 2;
  const lowPass = (hz, at) =>
    at === 0 ? (2 * hz) / RATE_HZ : Math.sin((2 * Math.PI * hz * at) / RATE_HZ) / (Math.PI * at);
  const taps = Array.from({ length: TELEPHONE_TAPS }, (_, tap) => {
    const at = tap - middle;
    const window = 0.54 + 0.46 * Math.cos((Math.PI * at) / middle);
    return window * (lowPass(3400, at) - lowPass(300, at));
  });
  return samples.map((_, at) =>
    taps.reduce((sum, tap, index) => sum + tap * (samples[at + index - middle] ?? 0), 0),
  );
}

function muLaw(sample) {
  const coded = (Math.sign(sample) * Math.log1p(MU * Math.min(1, Math.abs(sample)))) / Math.log1p(MU);
  const rounded = Math.round(coded * 127) / 127;
  return (Math.sign(rounded) * Math.expm1(Math.abs(rounded) * Math.log1p(MU))) / MU;
}

/** Removes the silence at both ends. */
export function trimSilence(samples) {
  const frame = Math.round(FRAME_SECONDS * RATE_HZ);
  const levels = Array.from({ length: Math.floor(samples.length / frame) }, (_, index) =>
    rms(samples.subarray(index * frame, (index + 1) * frame)),
  );
  const limit = Math.max(...levels) * 10 ** (SILENT_DB / 20);
  const first = levels.findIndex((level) => level > limit);
  const last = levels.findLastIndex((level) => level > limit);
  return samples.subarray(first * frame, (last + 1) * frame);
}

/** Places turns one after the other; a negative gap lets them overlap. */
export function placeTurns(turns, gapSeconds) {
  const gap = Math.round(gapSeconds * RATE_HZ);
  const placed = [];
  let from = 0;
  for (const { speaker, samples } of turns) {
    placed.push({ speaker, samples, start: from / RATE_HZ, end: (from + samples.length) / RATE_HZ });
    from += samples.length + gap;
  }
  const mixed = new Float32Array(from - gap);
  for (const { samples, start } of placed) {
    const offset = Math.round(start * RATE_HZ);
    for (let at = 0; at < samples.length; at++) mixed[offset + at] += samples[at];
  }
  return { samples: mixed, placed };
}

/** Compares turns of two people with found ones where one person speaks, with the better assignment of names. */
export function compareTurns(placed, found) {
  const names = [...new Set(found.map(({ speaker }) => speaker))];
  const steps = Math.floor(placed.at(-1).end / FRAME_SECONDS);
  const counts = new Map();
  let seconds = 0;
  let missedSeconds = 0;
  for (let step = 0; step < steps; step++) {
    const at = (step + 0.5) * FRAME_SECONDS;
    const isAt = ({ start, end }) => start <= at && at < end;
    const own = placed.filter(isAt);
    if (own.length !== 1) continue;
    seconds += FRAME_SECONDS;
    const said = found.find(isAt);
    if (said === undefined) missedSeconds += FRAME_SECONDS;
    else {
      const key = `${own[0].speaker} ${said.speaker}`;
      counts.set(key, (counts.get(key) ?? 0) + FRAME_SECONDS);
    }
  }
  const rightSeconds = (first, second) => (counts.get(`0 ${first}`) ?? 0) + (counts.get(`1 ${second}`) ?? 0);
  const pairs = names.flatMap((first) =>
    names.map((second) => rightSeconds(first, first === second ? undefined : second)),
  );
  return { seconds, missedSeconds, confusedSeconds: seconds - missedSeconds - Math.max(0, ...pairs) };
}

function rms(samples) {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
