// Measures loudness and pauses of voices in the engine and prints the tables of the catalogue. By hand, after a change of the networks.
//
//   node scripts/measure-voices.mjs loudness|pauses|speakers
//
// `loudness` and `pauses` are those of Kokoro (server/src/domain/voices/catalogue/kokoro-*.ts), `speakers` is the loudness of the
// listed speakers of the embedded VITS model (server/src/inference/engines/vits/speakers.ts).

import { homedir } from 'node:os';
import { join } from 'node:path';
import { DIST } from './setup.mjs';
import { silencesIn, WORDS_DB } from './support/phrasing-audio.mjs';
import { CLAUSE_TEXTS, LOUDNESS_TEXTS, SENTENCE_TEXTS } from './support/voice-texts.mjs';

const { SpeechHost } = await import(`${DIST}/src/inference/runtime/speech/speech-host.js`);
const { ASSETS_FOLDER } = await import(`${DIST}/src/config/package-info.js`);
const { LoudnessMeter } = await import(`${DIST}/src/audio/dsp/loudness.js`);
const { textToPieces } = await import(`${DIST}/src/text/front-end/text-to-pieces.js`);
const { listKokoroVoices } = await import(`${DIST}/src/domain/voices/catalogue/kokoro-voices.js`);
const { SPEAKERS } = await import(`${DIST}/src/inference/engines/vits/speakers.js`);
const { lengthFactor } = await import(`${DIST}/src/domain/speech/piece-pause.js`);

/** The mean ratio of the pause after a comma to that after a full stop. Commas vary more between texts than between voices. */
const CLAUSE_RATIO = 0.72;
const SENTENCE_MIN_SECONDS = 0.2;
const CLAUSE_MIN_SECONDS = 0.1;
const MEASUREMENTS = {
  loudness: { run: measureLoudness, engine: 'kokoro-fast' },
  pauses: { run: measurePauses, engine: 'kokoro-fast' },
  speakers: { run: measureSpeakers, engine: 'vits' },
};

const measurement = MEASUREMENTS[process.argv[2]];
if (measurement === undefined) {
  console.error(`usage: node scripts/measure-voices.mjs ${Object.keys(MEASUREMENTS).join('|')}`);
  process.exit(2);
}
const modelsRoot = process.env.MYNAH_MODELS ?? join(homedir(), '.cache/mynah/models');
const host = new SpeechHost({ modelsRoot, threads: 1, assetsRoot: ASSETS_FOLDER });
const engine = await host.engine(measurement.engine);
await measurement.run();
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
  for (const { engineVoice: name, language } of sortedVoices()) {
    if (!language.startsWith('en-')) continue;
    const sentence = await meanPause(SENTENCE_TEXTS, name, language);
    const ownClause = await meanPause(CLAUSE_TEXTS, name, language);
    const clause = (ownClause + CLAUSE_RATIO * sentence) / 2;
    const rounded = (seconds, minimum) => Number(Math.max(minimum, seconds).toFixed(2));
    console.log(
      `  ${name}: { sentence: ${rounded(sentence, SENTENCE_MIN_SECONDS)}, clause: ${rounded(clause, CLAUSE_MIN_SECONDS)} },`,
    );
  }
}

/** The longest pause in each text, as after a clause of 50 letters. */
async function meanPause(texts, name, language) {
  const pauses = [];
  for (const text of texts) {
    const samples = await speak(text, name, language);
    const found = silencesIn(samples, engine.sampleRateHz, 0, WORDS_DB).map(({ seconds }) => seconds);
    const letters = /^[^.,]*/.exec(text)[0].length + 1;
    pauses.push(Math.max(0, ...found) / lengthFactor(letters));
  }
  return mean(pauses);
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
  return [...listKokoroVoices()].sort((one, two) => (one.name < two.name ? -1 : 1));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
