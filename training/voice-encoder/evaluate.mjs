// Clones every speaker of an evaluation kit with the server's code and synthesizes sentences with the clones:
//   node evaluate.mjs --data KIT/data --models MODELS --out out [--refine]        (after `npm run build`)
// Clips are FLAC files named SPEAKER-….flac in data/refs (one per speaker) and data/speech (several: the longest
// is cloned, the others are for the comparison). Writes out/SPEAKER.{built-in,nearest,fast,refined}.wav, transcripts.tsv
// and costs.jsonl, and skips existing files. `built-in` is a listed voice of the server, the baseline for cost and word
// error rate. Then: python compare_speakers.py
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encodeWavFile } from '../../server/dist/src/audio/encode/wav.js';
import { cloneVoice } from '../../server/dist/src/domain/voices/cloning/clone-voice.js';
import { readClip } from '../../server/dist/src/domain/voices/intake/read-clip.js';
import { SPEAKERS } from '../../server/dist/src/inference/engines/vits/speakers.js';
import { MEASURES, similarity } from '../../server/dist/src/inference/engines/voice-encoder/measures.js';
import { CloningHost } from '../../server/dist/src/inference/runtime/cloning/cloning-host.js';

const SENTENCES = [
  'The kettle had just begun to whistle when the lights went out.',
  'Nobody expected the smallest boat to finish first.',
  'Why would anyone leave a piano in the middle of a field?',
  'Could you turn the volume down a little, please?',
  'The farmer had to borrow enough money to mend three trucks.',
];

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    models: { type: 'string' },
    out: { type: 'string' },
    refine: { type: 'boolean', default: false },
  },
});
const host = new CloningHost({
  modelsRoot: options.models,
  assetsRoot: fileURLToPath(new URL('../../server/assets', import.meta.url)),
  threads: 1,
});
const context = host.contextFor({ isUrgent: true });
const { signal } = new AbortController();
mkdirSync(options.out, { recursive: true });

/** The speech of a recording, as the server stores it. */
async function speechOf(path) {
  const clipOptions = { signal, sampleRateHz: 16000, speechMinSeconds: 0 };
  return (await readClip(createReadStream(path), clipOptions)).speechSamples;
}

async function speak(speaker, variant, { vector, pitchCorrection }) {
  const engine = await context.engine();
  const parts = [];
  const before = process.cpuUsage();
  for (const sentence of SENTENCES) {
    for await (const { samples } of engine.speak(
      sentence,
      { kind: 'vector', values: vector, pitchCorrection },
      signal,
    ))
      parts.push(...samples);
  }
  record({
    speaker,
    variant,
    speakingCpuSeconds: cpuSecondsSince(before),
    spokenSeconds: parts.length / engine.sampleRateHz,
  });
  writeFileSync(
    join(options.out, `${speaker}.${variant}.wav`),
    encodeWavFile({ samples: Float32Array.from(parts), sampleRateHz: engine.sampleRateHz }),
  );
  appendFileSync(join(options.out, 'transcripts.tsv'), `${speaker}.${variant}\t${SENTENCES.join(' ')}\n`);
}

/** The measures of the engine's own speakers; computed once and cached. */
async function measureOwnSpeakers() {
  const table = readFileSync(join(options.models, 'piper-libritts-r-medium/derived/speakers.v1.f32'));
  const vectors = Array.from(
    { length: 904 },
    (_, row) => new Float32Array(Uint8Array.from(table.subarray(row * 2048, (row + 1) * 2048)).buffer),
  );
  const path = join(options.out, 'own-speakers.f32');
  if (existsSync(path)) {
    const cached = new Float32Array(Uint8Array.from(readFileSync(path)).buffer);
    return vectors.map((vector, row) => ({
      vector,
      measures: cached.subarray(row * MEASURES.count, (row + 1) * MEASURES.count),
    }));
  }
  const [engine, encoder] = [await context.engine(), await context.encoder()];
  const { Resampler } = await import('../../server/dist/src/audio/dsp/resampler.js');
  const speakers = [];
  for (const vector of vectors) {
    const resampler = new Resampler({ fromHz: engine.sampleRateHz, toHz: encoder.sampleRateHz });
    const samples = [];
    for await (const part of engine.speak(SENTENCES[0], { kind: 'vector', values: vector }, signal))
      samples.push(...resampler.process(part.samples));
    speakers.push({
      vector,
      measures: await encoder.measure(Float32Array.from([...samples, ...resampler.flush()])),
    });
  }
  writeFileSync(
    path,
    new Uint8Array(Float32Array.from(speakers.flatMap(({ measures }) => [...measures])).buffer),
  );
  return speakers;
}

const longest = new Map();
for (const folder of ['speech', 'refs']) {
  for (const file of readdirSync(join(options.data, folder)).filter((name) => name.endsWith('.flac'))) {
    const [path, speaker] = [join(options.data, folder, file), file.split('-')[0]];
    if (!longest.has(speaker) || statSync(path).size > statSync(longest.get(speaker)).size)
      longest.set(speaker, path);
  }
}
const speakers = await measureOwnSpeakers();
const encoder = await context.encoder();
for (const [index, [speaker, path]] of [...longest].entries()) {
  const isDone = (variant) => existsSync(join(options.out, `${speaker}.${variant}.wav`));
  const clip = await speechOf(path);
  if (!isDone('built-in')) {
    const listed = SPEAKERS[index % SPEAKERS.length].speaker;
    await speak(speaker, 'built-in', speakers[listed]);
  }
  if (!isDone('nearest')) {
    const target = await encoder.measure(clip);
    const similarityTo = ({ measures }) => similarity(measures, target, MEASURES.xVector);
    await speak(
      speaker,
      'nearest',
      speakers.reduce((best, other) => (similarityTo(other) > similarityTo(best) ? other : best)),
    );
  }
  const vectorPath = join(options.out, `${speaker}.fast.json`);
  if (!isDone('fast')) {
    const before = process.cpuUsage();
    for await (const voice of cloneVoice(context, { clips: [clip] }, signal)) {
      writeFileSync(vectorPath, JSON.stringify([...voice.vector]));
      recordVoice(speaker, 'fast', before, voice);
      await speak(speaker, 'fast', voice);
    }
  }
  if (options.refine && !isDone('refined')) {
    const before = process.cpuUsage();
    const from = Float32Array.from(JSON.parse(readFileSync(vectorPath, 'utf8')));
    let best = { vector: from, measures: {} };
    for await (const voice of cloneVoice(context, { clips: [clip], from }, signal)) best = voice;
    recordVoice(speaker, 'refined', before, best);
    await speak(speaker, 'refined', best);
  }
}

function recordVoice(speaker, variant, before, { gender, pitchCorrection, measures }) {
  record({
    speaker,
    variant,
    cpuSeconds: cpuSecondsSince(before),
    gender,
    melody: pitchCorrection,
    measures,
  });
}

function record(facts) {
  const line = JSON.stringify(facts);
  appendFileSync(join(options.out, 'costs.jsonl'), `${line}\n`);
  console.log(line);
}

function cpuSecondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
