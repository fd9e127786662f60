// Silences and onsets in speech, for check-phrasing.mjs.

const STEP_SECONDS = 0.005;
/** Relative to the loudest step. */
const SILENT_DB = -48;
const AUDIBLE_DB = -40;
/** The level of words, above breath and noise in pauses. */
export const WORDS_DB = -35;
/** Of a pause whose place is known: the mean level of some steps, at least so far above the noise of the voice. */
const PAUSE_DB = -32;
const PAUSE_ABOVE_NOISE_DB = 12;
const PAUSE_MEAN_STEPS = 4;
/** A sound within a pause that is shorter and softer than this is noise. */
const PAUSE_NOISE_STEPS = 3;
const PAUSE_NOISE_DB = 8;
const PAUSE_REACH_SECONDS = 0.3;
/** A remainder of a word lies within this time of the pause. */
const REACH_SECONDS = 0.2;
const LEAK_MIN_SECONDS = 0.01;
const LEAK_MAX_SECONDS = 0.09;
const DIP_MIN_SECONDS = 0.02;

/** Levels of steps of 5 ms in decibels, relative to the loudest step. */
function levels(samples, rateHz) {
  const step = Math.round(STEP_SECONDS * rateHz);
  const values = Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    let sum = 0;
    for (let at = index * step; at < (index + 1) * step; at++) sum += samples[at] ** 2;
    return 10 * Math.log10(sum / step + 1e-10);
  });
  const peak = Math.max(...values);
  return values.map((value) => value - peak);
}

/** Runs of steps for which the test holds, as `{ start, end }` in steps. */
function runs(values, test) {
  const found = [];
  let start = -1;
  for (let at = 0; at <= values.length; at++) {
    const holds = at < values.length && test(values[at]);
    if (holds && start < 0) start = at;
    else if (!holds && start >= 0) {
      found.push({ start, end: at });
      start = -1;
    }
  }
  return found;
}

/** Silences between the first and the last sound: steps below a level in decibels, relative to the loudest step. */
export function silencesIn(samples, rateHz, minSeconds, belowDb = SILENT_DB) {
  const values = levels(samples, rateHz);
  return runs(values, (level) => level < belowDb)
    .filter(({ start, end }) => start > 0 && end < values.length)
    .map(({ start, end }) => ({
      startSeconds: start * STEP_SECONDS,
      endSeconds: end * STEP_SECONDS,
      seconds: (end - start) * STEP_SECONDS,
    }))
    .filter(({ seconds }) => seconds >= minSeconds);
}

/** The level below which speech of a voice pauses: the noise of some voices in their pauses is above -35 dB. */
export function pauseLevel(samples, rateHz) {
  const sorted = smoothed(levels(samples, rateHz)).sort((one, two) => one - two);
  return Math.max(PAUSE_DB, sorted[Math.floor(sorted.length / 20)] + PAUSE_ABOVE_NOISE_DB);
}

/** Pauses between the first and the last sound, below a level of the mean over 20 ms. Short noise does not end a pause. */
export function pausesIn(samples, rateHz, belowDb) {
  const values = smoothed(levels(samples, rateHz));
  const isNoise = ({ start, end }) =>
    end - start <= PAUSE_NOISE_STEPS && Math.max(...values.slice(start, end)) < belowDb + PAUSE_NOISE_DB;
  const sounds = runs(values, (level) => level >= belowDb).filter((sound) => !isNoise(sound));
  return sounds.slice(1).map(({ start }, index) => {
    const from = sounds[index].end;
    return { startSeconds: from * STEP_SECONDS, seconds: (start - from) * STEP_SECONDS };
  });
}

/** The longest pause within 0.3 s of a time, in seconds; 0 if there is none. */
export function pauseNear(samples, rateHz, { seconds: at, belowDb }) {
  const near = pausesIn(samples, rateHz, belowDb).filter(
    ({ startSeconds, seconds }) =>
      startSeconds - PAUSE_REACH_SECONDS <= at && at <= startSeconds + seconds + PAUSE_REACH_SECONDS,
  );
  return Math.max(0, ...near.map(({ seconds }) => seconds));
}

/** Mean power of neighbouring steps, in decibels. */
function smoothed(values) {
  const powers = values.map((value) => 10 ** (value / 10));
  return values.map((_, at) => {
    const from = Math.max(0, at - (PAUSE_MEAN_STEPS >> 1));
    const around = powers.slice(from, from + PAUSE_MEAN_STEPS);
    return 10 * Math.log10(around.reduce((sum, power) => sum + power, 0) / around.length);
  });
}

export function longestSilence(samples, rateHz) {
  const [longest] = silencesIn(samples, rateHz, 0).sort((one, two) => two.seconds - one.seconds);
  if (longest === undefined) throw new Error('no pause');
  return longest;
}

/** Short sounds beside a pause that are separated from the speech of their side. */
export function findOnsetLeaks(samples, pause, rateHz) {
  const values = levels(samples, rateHz);
  const start = Math.round(pause.startSeconds / STEP_SECONDS);
  const end = Math.round(pause.endSeconds / STEP_SECONDS);
  const reach = Math.round(REACH_SECONDS / STEP_SECONDS);
  const before = leakAtStart(values.slice(Math.max(0, start - reach), start).reverse());
  const after = leakAtStart(values.slice(end, end + reach));
  return [
    ...(before === undefined ? [] : [`${before} before the pause`]),
    ...(after === undefined ? [] : [`${after} after the pause`]),
  ];
}

/** The values begin at the pause: a short sound and then a dip. */
function leakAtStart(values) {
  const [sound] = runs(values, (level) => level > SILENT_DB);
  if (sound === undefined || sound.end === values.length) return undefined;
  const seconds = (sound.end - sound.start) * STEP_SECONDS;
  const loudest = Math.max(...values.slice(sound.start, sound.end));
  const dip = runs(values.slice(sound.end), (level) => level < SILENT_DB)[0];
  const dipSeconds = dip === undefined ? 0 : (dip.end - dip.start) * STEP_SECONDS;
  const isLeak =
    seconds >= LEAK_MIN_SECONDS &&
    seconds <= LEAK_MAX_SECONDS &&
    loudest > AUDIBLE_DB &&
    dipSeconds >= DIP_MIN_SECONDS;
  return isLeak ? `${(seconds * 1000).toFixed(0)} ms of sound at ${loudest.toFixed(0)} dB` : undefined;
}
