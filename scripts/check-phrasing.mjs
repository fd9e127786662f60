// Measures pauses, breaks and loudness of speech from outside, on a server of its own with the installed models. By hand.
//
//   node scripts/check-phrasing.mjs breaks|pauses|loudness [FROM] [TO] [ENGINE…]
//
// FROM and TO select a part of the cases of `breaks` or of the passages of `loudness` (default: all), so that a run takes minutes.
// ENGINE selects engines of `loudness` (default: all). docs/design/acting.md and
// docs/design/text-front-end.md have the results.

import { DIST } from './setup.mjs';
import { findOnsetLeaks, longestSilence, pausesIn, silencesIn, WORDS_DB } from './support/phrasing-audio.mjs';
import {
  BREAK_TEXTS,
  BREAKS,
  PASSAGES,
  PAUSE_TEXTS,
  VITS_VOICES,
  VOICES,
} from './support/phrasing-texts.mjs';

const { ServerProcess } = await import(`${DIST}/bench/processes/server-process.js`);
const { Children } = await import(`${DIST}/bench/processes/children.js`);
const { LoudnessMeter } = await import(`${DIST}/src/audio/dsp/loudness.js`);

const RATE_HZ = 24_000;
/** The wire model that the server of this script speaks with the stock decoder. */
const STOCK_MODEL = 's2-pro';
const PAUSE_DIFFERENCE_MAX = 0.1;
/** Above the noise of all voices in their pauses. The server counts sound below it as a part of the pause, too. */
const PAUSE_DB = -28;
const PIECES_DIFFERENCE_MAX_LU = 1;
const ENGINES_DIFFERENCE_MAX_LU = 0.5;
/** Pauses of one piece boundary that are compared. */
const PAUSE_MIN_SECONDS = 0.06;
/** How far from the place that its letters suggest a join may be. */
const JOIN_REACH_SECONDS = 1;
/** Engines whose loudness is compared, with the options of their requests. */
const LOUDNESS_ENGINES = {
  'kokoro-fast': { voices: VOICES },
  vits: { voices: VITS_VOICES },
  'kokoro-stock': { voices: VOICES.slice(0, 4), model: STOCK_MODEL },
};
const MEASUREMENTS = { breaks: measureBreaks, pauses: measurePauses, loudness: measureLoudness };

const [name, from = '0', to = '1000000', ...engines] = process.argv.slice(2);
const measurement = MEASUREMENTS[name];
if (measurement === undefined) {
  console.error(
    `usage: node scripts/check-phrasing.mjs ${Object.keys(MEASUREMENTS).join('|')} [FROM] [TO] [ENGINE…]`,
  );
  process.exit(2);
}
const environment = {
  ...process.env,
  MYNAH_KEY_REQUESTS_PER_MINUTE: '0',
  // The stock decoder also where it is slower than real time.
  MYNAH_WIRE_MODELS: JSON.stringify({ [STOCK_MODEL]: 'kokoro-stock' }),
};
const server = await ServerProcess.start(environment, new Children());
try {
  process.exitCode = (await measurement()) ? 0 : 1;
} finally {
  await server.stop();
}

/** Requests a text as PCM with a fixed seed. */
async function speak(text, { voice, model = 's1', ...options }) {
  const response = await fetch(`${server.url}/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json', model },
    body: JSON.stringify({
      text,
      reference_id: voice,
      format: 'pcm',
      sample_rate: RATE_HZ,
      seed: 1,
      ...options,
    }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  return Float32Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(at * 2) / 32_768);
}

/**
 * No word may be heard on the wrong side of a pause. The words beside it end and begin without a closure, so that a
 * separate sound is a remainder of another word. `server/bench/acting/breaks.ts` tries vocal sounds.
 */
async function measureBreaks() {
  const cases = VOICES.flatMap((voice) => BREAK_TEXTS.map((text) => ({ voice, text }))).slice(
    Number(from),
    Number(to),
  );
  let tries = 0;
  let leaking = 0;
  for (const { voice, text } of cases) {
    for (const { written, isSsml, isBetweenSentences = false } of BREAKS) {
      if (isBetweenSentences && !text.includes('.|')) continue;
      const samples = await speak(written(text), { voice, ssml: isSsml });
      const leaks = findOnsetLeaks(samples, longestSilence(samples, RATE_HZ), RATE_HZ);
      tries++;
      if (leaks.length > 0) leaking++;
      for (const leak of leaks) console.log(`${voice} "${written(text)}": ${leak}`);
    }
  }
  console.log(`breaks: ${leaking} of ${tries} tries leak`);
  return leaking === 0;
}

/**
 * The pause between two sentences or clauses, with the words beside it in one piece and in two: the time without words.
 */
async function measurePauses() {
  const ratios = [];
  for (const [punctuation, texts] of Object.entries(PAUSE_TEXTS)) {
    const pairs = [];
    for (const voice of VOICES) {
      for (const text of texts) {
        const inside = await speak(text, { voice, chunk_length: 300, min_chunk_length: 100 });
        const join = await speak(text, { voice, chunk_length: 100, min_chunk_length: 0 });
        pairs.push({ voice, within: pauseOfSecondHalf(inside), between: pauseOfSecondHalf(join) });
      }
    }
    comparePauses(punctuation, pairs);
    for (const voice of VOICES) {
      const own = pairs.filter((pair) => pair.voice === voice);
      ratios.push(comparePauses(`${punctuation}, ${voice}`, own));
    }
  }
  return ratios.every((ratio) => Math.abs(ratio - 1) <= PAUSE_DIFFERENCE_MAX);
}

/** Prints the mean pauses and returns their ratio. */
function comparePauses(name, pairs) {
  const within = mean(pairs.map((pair) => pair.within));
  const between = mean(pairs.map((pair) => pair.between));
  const differences = pairs.map((pair) => pair.between - pair.within);
  const variance = mean(differences.map((difference) => (difference - mean(differences)) ** 2));
  const error = Math.sqrt(variance / pairs.length) / within;
  console.log(
    `${name}: ${ms(within)} within pieces, ${ms(between)} between pieces, ratio ${(between / within).toFixed(3)} ± ${error.toFixed(3)} (${pairs.length} pairs)`,
  );
  return between / within;
}

/** The first half has the pause after the opening; closures of plosives are shorter than the pause. */
function pauseOfSecondHalf(samples) {
  const middleSeconds = samples.length / 2 / RATE_HZ;
  const pauses = pausesIn(samples, RATE_HZ, PAUSE_DB);
  return Math.max(
    0,
    ...pauses.filter(({ startSeconds }) => startSeconds > middleSeconds).map(({ seconds }) => seconds),
  );
}

/** Loudness of the sentences of passages, each in a piece of its own, and of the engines. */
async function measureLoudness() {
  const ranges = [];
  const means = [];
  for (const [engine, { voices, ...options }] of Object.entries(LOUDNESS_ENGINES)) {
    if (engines.length > 0 && !engines.includes(engine)) continue;
    const values = [];
    for (const voice of voices) {
      for (const passage of PASSAGES.slice(Number(from), Number(to))) {
        const speech = await speak(passage.join(' '), {
          ...{ voice, chunk_length: 100, min_chunk_length: 0 },
          ...options,
        });
        const pieces = splitAtPauses(speech, passage).map(lufs);
        ranges.push(Math.max(...pieces) - Math.min(...pieces));
        values.push(lufs(speech));
        console.log(
          `${engine}, ${voice}: ${values.at(-1).toFixed(2)} LUFS; pieces ${pieces.map((value) => value.toFixed(1)).join(', ')}`,
        );
      }
    }
    means.push(mean(values));
    console.log(
      `loudness: ${engine} ${mean(values).toFixed(2)} LUFS (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`,
    );
  }
  const difference = Math.max(...means) - Math.min(...means);
  console.log(
    `loudness: range of the pieces of a passage ${mean(ranges).toFixed(2)} LU (maximum ${Math.max(...ranges).toFixed(2)}, ${ranges.filter((range) => range > PIECES_DIFFERENCE_MAX_LU).length} of ${ranges.length} passages above ${PIECES_DIFFERENCE_MAX_LU} LU); the engines differ by ${difference.toFixed(2)} LU`,
  );
  return Math.max(...ranges) <= PIECES_DIFFERENCE_MAX_LU && difference <= ENGINES_DIFFERENCE_MAX_LU;
}

/**
 * Cuts speech in the middle of the longest pause near the place of each join, by the letters of the sentences: some voices
 * pause as long within a sentence.
 */
function splitAtPauses(samples, sentences) {
  const middles = silencesIn(samples, RATE_HZ, PAUSE_MIN_SECONDS, WORDS_DB)
    .sort((one, two) => two.seconds - one.seconds)
    .map(({ startSeconds, endSeconds }) => (startSeconds + endSeconds) / 2);
  const letters = (count) => sentences.slice(0, count).join(' ').length;
  const cuts = sentences.slice(1).map((_, index) => {
    const share = letters(index + 1) / letters(sentences.length);
    const expected = (share * samples.length) / RATE_HZ;
    const found = middles.find((seconds) => Math.abs(seconds - expected) < JOIN_REACH_SECONDS);
    if (found === undefined) throw new Error(`no pause after "${sentences[index]}"`);
    return Math.round(found * RATE_HZ);
  });
  return [0, ...cuts].map((start, at) => samples.subarray(start, cuts[at] ?? samples.length));
}

function lufs(samples) {
  const meter = new LoudnessMeter(RATE_HZ);
  meter.process(samples);
  return meter.integratedLufs();
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function ms(seconds) {
  return `${(seconds * 1000).toFixed(0)} ms`;
}
