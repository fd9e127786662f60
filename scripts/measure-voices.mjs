// Measures loudness and pauses of voices in the engine and prints the tables of the catalogue. By hand, after a change of the networks.
//
//   node scripts/measure-voices.mjs loudness|speakers [VOICE…]
//   node scripts/measure-voices.mjs pauses|check-pauses TEXTS [VOICE…]
//
// `loudness` and `pauses` are those of Kokoro (server/src/domain/voices/catalogue/kokoro-*.ts), `check-pauses` compares pauses between
// pieces with those within pieces. TEXTS is a file with a text per line, whose first full stop or comma is measured; `pauses` has texts
// of its own in addition. `speakers` is the loudness of the listed speakers of the embedded VITS model
// (server/src/inference/engines/vits/speakers.ts).

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DIST } from './setup.mjs';
import { measurePair } from './support/pause-pairs.mjs';
import { CLAUSE_TEXTS, LOUDNESS_TEXTS, SENTENCE_TEXTS } from './support/voice-texts.mjs';

const { SpeechHost } = await import(`${DIST}/src/inference/runtime/speech/speech-host.js`);
const { ASSETS_FOLDER } = await import(`${DIST}/src/config/package-info.js`);
const { LoudnessMeter } = await import(`${DIST}/src/audio/dsp/loudness.js`);
const { textToPieces } = await import(`${DIST}/src/text/front-end/text-to-pieces.js`);
const { listKokoroVoices } = await import(`${DIST}/src/domain/voices/catalogue/kokoro-voices.js`);
const { SPEAKERS } = await import(`${DIST}/src/inference/engines/vits/speakers.js`);
const { pauseAfterPiece } = await import(`${DIST}/src/domain/speech/piece-pause.js`);

/** A voice misses its target if the pauses between pieces differ by more than this from those within pieces. */
const PAUSE_DIFFERENCE_MAX = 0.1;
/** Pauses for the table are measured with long ones, which the noise after a piece does not lengthen. */
const LONG_PAUSES = { sentence: 0.7, clause: 0.7 };
const PAUSE_MAX_SECONDS = 2;
const MEASUREMENTS = {
  loudness: { run: measureLoudness, engine: 'kokoro-fast' },
  pauses: { run: measurePauses, engine: 'kokoro-fast' },
  'check-pauses': { run: checkPauses, engine: 'kokoro-fast' },
  speakers: { run: measureSpeakers, engine: 'vits' },
};

const [name, ...names] = process.argv.slice(2);
const needsTexts = name?.endsWith('pauses') === true;
const textsPath = needsTexts ? names.shift() : undefined;
const voiceNames = names;
const measurement = MEASUREMENTS[name];
if (measurement === undefined || (needsTexts && textsPath === undefined)) {
  console.error(
    `usage: node scripts/measure-voices.mjs ${Object.keys(MEASUREMENTS).join('|')} [TEXTS] [VOICE…]`,
  );
  process.exit(2);
}
const modelsRoot = process.env.MYNAH_MODELS ?? join(homedir(), '.cache/mynah/models');
const host = new SpeechHost({ modelsRoot, threads: 1, assetsRoot: ASSETS_FOLDER });
const engine = await host.engine(measurement.engine);
process.exitCode = (await measurement.run()) === false ? 1 : 0;
await engine.close();

async function measureLoudness() {
  for (const { engineVoice: name, language } of sortedVoices()) {
    console.log(`  ${name}: ${await meanLoudness(name, language)},`);
  }
}

async function measureSpeakers() {
  for (const { speaker, name } of SPEAKERS) {
    console.log(`${speaker} ${name}: ${await meanLoudness(String(speaker), 'en-US')}`);
  }
}

async function meanLoudness(name, language) {
  const values = [];
  for (const text of LOUDNESS_TEXTS[language]) {
    const meter = new LoudnessMeter(engine.sampleRateHz);
    meter.process(await speak(text, name, language));
    values.push(meter.integratedLufs());
  }
  return Number(mean(values).toFixed(1));
}

async function measurePauses() {
  const { sentences, clauses } = await readTexts();
  for (const voice of englishVoices()) {
    const sentence = await ruleOf('sentence', [...SENTENCE_TEXTS, ...sentences], voice);
    const clause = await ruleOf('clause', [...CLAUSE_TEXTS, ...clauses], voice);
    console.log(`  ${voice.name}: { sentence: ${sentence}, clause: ${clause} },`);
  }
}

/** The pause after a clause of 50 letters and before 40 with which the pauses between pieces are as long as those within pieces. */
async function ruleOf(kind, texts, voice) {
  const pairs = await measurePairs(texts, voice, LONG_PAUSES);
  // Fades and soft onsets add to the pause of the rule or shorten it.
  const wanted = mean(pairs.map(({ inside, between, rule }) => inside - (between - rule)));
  let [low, high] = [0, PAUSE_MAX_SECONDS];
  while (high - low > 0.0005) {
    const middle = (low + high) / 2;
    const plan = { pauses: { [kind]: middle }, language: voice.language };
    const ruled = mean(pairs.map(({ first, second }) => pauseAfterPiece(first, plan, second.words)));
    if (ruled < wanted) low = middle;
    else high = middle;
  }
  return Number(low.toFixed(low < 0.3 ? 3 : 2));
}

/** The texts of the file, by their first punctuation. */
async function readTexts() {
  const texts = (await readFile(textsPath, 'utf8')).split('\n').filter(Boolean);
  const isComma = (text) => /[.,]/.exec(text)?.[0] === ',';
  return { sentences: texts.filter((text) => !isComma(text)), clauses: texts.filter(isComma) };
}

async function checkPauses() {
  const { sentences, clauses } = await readTexts();
  let isMet = true;
  for (const voice of englishVoices()) {
    const results = [];
    for (const texts of [sentences, clauses]) {
      const pairs = await measurePairs(texts, voice);
      const [inside, between] = ['inside', 'between'].map((key) => mean(pairs.map((pair) => pair[key])));
      const ratio = between / inside;
      isMet &&= Math.abs(ratio - 1) <= PAUSE_DIFFERENCE_MAX;
      results.push(`${ms(inside)} within, ${ms(between)} between, ratio ${ratio.toFixed(2)}`);
    }
    console.log(`${voice.name}: full stop ${results[0]}; comma ${results[1]}`);
  }
  return isMet;
}

async function measurePairs(texts, voice, pauses) {
  await host.prepareLanguage(voice.language);
  const pairs = [];
  for (const text of texts) pairs.push(await measurePair(engine, voice, text, pauses));
  return pairs;
}

/** A text in one piece. */
async function speak(text, name, language) {
  const pieces = [
    ...textToPieces(text, {
      ...{ language, normalize: true, cueStyle: 'both' },
      ...{ chunkLength: 300, minChunkLength: 100, firstPieceLength: Number.POSITIVE_INFINITY },
    }),
  ];
  if (pieces.length !== 1) throw new Error(`${pieces.length} pieces: ${text}`);
  await host.prepareLanguage(language);
  const parts = [];
  const utterance = { words: pieces[0].words, language, speed: 1, seed: 1, voice: { kind: 'named', name } };
  for await (const { samples } of engine.speak(utterance, new AbortController().signal)) {
    parts.push(samples.slice());
  }
  const joined = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function sortedVoices() {
  const voices = listKokoroVoices().filter(
    ({ name }) => voiceNames.length === 0 || voiceNames.includes(name),
  );
  return voices.sort((one, two) => (one.name < two.name ? -1 : 1));
}

function englishVoices() {
  return sortedVoices().filter(({ language }) => language.startsWith('en-'));
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values) {
  return sum(values) / values.length;
}

function ms(seconds) {
  return `${(1000 * seconds).toFixed(0)} ms`;
}
