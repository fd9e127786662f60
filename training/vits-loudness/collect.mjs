// Speaks sentences with the embedded VITS model and writes the means of its latent prior and the loudness of each utterance, one
// JSON object per line. After `npm run build`:
//
//   node collect.mjs MODELS SPEAKERS < sentences.txt > utterances.jsonl
//
// SPEAKERS are numbers with commas; they speak the sentences in turn.

import { readFileSync } from 'node:fs';

const DIST = new URL('../../server/dist/src/', import.meta.url).href;
const { SpeechHost } = await import(`${DIST}inference/runtime/speech/speech-host.js`);
const { ASSETS_FOLDER } = await import(`${DIST}config/package-info.js`);
const { LoudnessMeter } = await import(`${DIST}audio/dsp/loudness.js`);
const { textToPieces } = await import(`${DIST}text/front-end/text-to-pieces.js`);
const { LIBRITTS_R_LOUDNESS } = await import(`${DIST}inference/engines/vits/libritts-loudness.js`);
const { predictLoudnessDeviation } = await import(`${DIST}inference/engines/vits/text-loudness.js`);
const { VitsModel } = await import(`${DIST}inference/engines/vits/vits-model.js`);

const [modelsRoot, speakerList] = process.argv.slice(2);
const speakers = speakerList.split(',');
const READING = {
  ...{ language: 'en-US', normalize: true, cueStyle: 'both' },
  ...{ chunkLength: 150, minChunkLength: 50, firstPieceLength: Number.POSITIVE_INFINITY },
};

/** The output of the front of the latest utterance. */
let front;
const runFront = VitsModel.prototype.runFront;
VitsModel.prototype.runFront = async function (input) {
  front = await runFront.call(this, input);
  return front;
};

const engine = await new SpeechHost({ modelsRoot, threads: 1, assetsRoot: ASSETS_FOLDER }).engine('vits');
const sentences = readFileSync(0, 'utf8').split('\n').filter(Boolean);
for (const [number, sentence] of sentences.entries()) {
  const [piece] = textToPieces(sentence, READING);
  const speaker = speakers[number % speakers.length];
  const meter = new LoudnessMeter(engine.sampleRateHz);
  const utterance = { words: piece.words, language: 'en-US', speed: 1, seed: number + 1 };
  const voice = { kind: 'named', name: speaker };
  for await (const { samples } of engine.speak({ ...utterance, voice }, new AbortController().signal)) {
    meter.process(samples);
  }
  const { channels, length, values } = front.mean;
  const frames = front.tokenFrames.reduce((sum, count) => sum + count, 0);
  const mean = Array.from({ length: channels }, (_, channel) =>
    front.tokenFrames.reduce(
      (sum, count, token) => sum + (count * values[channel * length + token]) / frames,
      0,
    ),
  );
  // As loud as without the compensation of the engine.
  const lufs = meter.integratedLufs() + predictLoudnessDeviation(front, LIBRITTS_R_LOUDNESS);
  if (Number.isFinite(lufs)) console.log(JSON.stringify({ speaker, lufs, mean }));
}
await engine.close();
