// Measures cloned voices through real servers, one for each cloning engine, with the speakers of an evaluation kit.
//   node scripts/measure-clones.mjs STAGE --kit KIT --folder FOLDER [--speakers 12] [--seconds 280] [--engines vits,kokoro-fast]     (after `npm run build`)
// Stages: `voices` clones each speaker with `vits` and `kokoro-fast` and speaks five sentences with the clone (`kokoro-fast`
// before and after its refinement), and the same sentences with the default voice; `languages` speaks four other languages
// with refined clones and native voices and transcribes both; `timing` measures first audio and CPU time. FOLDER keeps the
// data and the results; a stage that ends after `--seconds` continues there. What judges the files of FOLDER is listed in
// docs/design/voice-cloning.md.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { childrenOf, cpuSecondsOf } from '../server/dist/bench/processes/processes.js';
import { median } from '../server/dist/bench/statistics.js';
import { countWordErrors } from '../server/dist/bench/word-errors.js';
import {
  assert,
  firstKey,
  form,
  freePort,
  post,
  speak,
  startServer,
  stopServer,
} from './support/real-server.mjs';

const SENTENCES_PER_SPEAKER = 5;
/** Refined clones that speak other languages. */
const MULTILINGUAL_SPEAKERS = 3;
const NATIVE_VOICES = { es: 'ef_dora', fr: 'ff_siwis', it: 'if_sara', pt: 'pf_dora' };
const DEFAULT_VOICE = 'af_heart';
const SEED = 1;
const SAMPLE_RATE_HZ = 24_000;
const WAV_HEADER_BYTES = 44;
const TIMING_TEXT =
  'The rain stopped before noon, and the streets were dry again by one. Nobody expected the smallest boat to finish first.';
const TIMING_RUNS = 7;
const CLIP_SECONDS = 10;
const PAUSE_MS = 300;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kit: { type: 'string' },
    folder: { type: 'string' },
    speakers: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '280' },
    engines: { type: 'string', default: 'vits,kokoro-fast' },
  },
});
const engines = values.engines.split(',');
const [stage] = positionals;
const STAGES = { voices: measureVoices, languages: measureLanguages, timing: measureTiming };
assert(
  STAGES[stage] !== undefined && values.kit && values.folder,
  'Usage: measure-clones.mjs STAGE --kit KIT --folder FOLDER',
);
const endMs = Date.now() + 1000 * Number(values.seconds);
const isTimeLeft = () => Date.now() < endMs;
const out = join(values.folder, 'out');
mkdirSync(out, { recursive: true });
await STAGES[stage]();

async function measureVoices() {
  const speakers = listSpeakers();
  const sentences = linesOf(join(values.kit, 'data/sentences.txt'));
  const sentencesFor = (index) =>
    Array.from(
      { length: SENTENCES_PER_SPEAKER },
      (_, n) => sentences[(SENTENCES_PER_SPEAKER * index + n) % sentences.length],
    );
  for (const engine of engines) {
    const variants = engine === 'vits' ? ['vits', 'default'] : ['first', 'refined'];
    const isDone = ({ name }) => variants.every((variant) => existsSync(join(out, `${name}.${variant}.wav`)));
    if (speakers.every(isDone)) continue;
    await withServer(engine, async (server) => {
      for (const [index, speaker] of speakers.entries()) {
        if (isDone(speaker)) continue;
        if (!isTimeLeft()) return;
        const texts = sentencesFor(index);
        if (engine === 'vits') {
          await speakAll(server, { name: speaker.name, variant: 'default', texts, voice: DEFAULT_VOICE });
          const { voice } = await createVoice(server, speaker, 'fast');
          await speakAll(server, { name: speaker.name, variant: 'vits', texts, voice: voice._id });
        } else await measureRefinement(server, speaker, texts);
      }
    });
  }
}

/** Speaks with the first voice while the refinement runs, and with the refined one. */
async function measureRefinement(server, speaker, texts) {
  const { voice } = await createVoice(server, speaker, 'full');
  const id = voice._id;
  await speakAll(server, { name: speaker.name, variant: 'first', texts, voice: id });
  assert(
    (await findVoice(server, id)).state === 'training',
    'The refinement ended before the first voice was measured.',
  );
  const before = server.cpuSeconds();
  const startedMs = Date.now();
  let refined = voice;
  for (; refined.state !== 'trained'; await sleep(500)) refined = await findVoice(server, id);
  const { similarity, first_similarity: firstSimilarity } = refined.quality;
  record({
    measured: 'refinement',
    speaker: speaker.name,
    cpuSeconds: server.cpuSeconds() - before,
    seconds: (Date.now() - startedMs) / 1000,
    similarity,
    firstSimilarity,
  });
  await speakAll(server, { name: speaker.name, variant: 'refined', texts, voice: id });
  appendFileSync(join(values.folder, 'refined.tsv'), `${speaker.name}\t${id}\n`);
}

async function measureLanguages() {
  const refined = linesOf(join(values.folder, 'refined.tsv'))
    .map((line) => line.split('\t'))
    .slice(0, MULTILINGUAL_SPEAKERS);
  const texts = linesOf(join(values.kit, 'data/sentences-multilingual.tsv')).map((line) => line.split('\t'));
  await withServer('kokoro-fast', async (server) => {
    for (const [language, native] of Object.entries(NATIVE_VOICES)) {
      const own = texts.filter(([tag]) => tag === language).map(([, text]) => text);
      for (const [name, voice] of [['native', native], ...refined]) {
        if (!isTimeLeft()) return;
        const variant = `refined-${language}`;
        if (existsSync(join(out, `${name}.${variant}.wav`))) continue;
        const files = await speakAll(server, { name, variant, texts: own, voice, language });
        for (const [index, wav] of files.entries()) {
          const transcript = await transcribe(server, wav, language);
          record({ measured: 'words', language, name, ...countWordErrors(own[index], transcript) });
        }
      }
    }
  });
  const rows = recorded().filter(({ measured }) => measured === 'words');
  for (const language of Object.keys(NATIVE_VOICES)) {
    const rate = (isNative) => {
      const chosen = rows.filter((row) => row.language === language && (row.name === 'native') === isNative);
      const sum = (field) => chosen.reduce((total, row) => total + row[field], 0);
      return `${sum('errors')} of ${sum('words')} (${((100 * sum('errors')) / sum('words')).toFixed(1)} %)`;
    };
    console.log(`${language}: native voice ${rate(true)}, clones ${rate(false)}`);
  }
}

/** First audio and CPU time of speech, time from a recording to first audio, and first audio during a refinement. */
async function measureTiming() {
  const [speaker] = listSpeakers();
  const clip = { ...speaker, bytes: await firstSecondsOf(speaker.path) };
  for (const engine of engines) {
    await withServer(engine, async (server) => {
      await firstAudioMs(server, { reference_id: DEFAULT_VOICE });
      const created = [];
      let voice;
      for (let run = 0; run < 3; run++) {
        const startedMs = performance.now();
        ({ voice } = await createVoice(server, clip, 'fast'));
        await firstAudioMs(server, { reference_id: voice._id });
        created.push(performance.now() - startedMs);
      }
      console.log(
        `${engine}: recording of ${CLIP_SECONDS} s to first audio: ${created.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s`,
      );
      const inline = { references: [{ audio: clip.bytes.toString('base64'), text: 'A sentence.' }] };
      await firstAudioMs(server, inline);
      const voices = { s1: { reference_id: DEFAULT_VOICE }, clone: { reference_id: voice._id }, inline };
      await compareSpeech(server, `${engine}: idle`, voices);
      if (engine === 'vits') return;
      const { voice: refining } = await createVoice(server, clip, 'full');
      await compareSpeech(server, `${engine}: during a refinement`, { s1: voices.s1 });
      assert(
        (await findVoice(server, refining._id)).state === 'training',
        'The refinement ended before the measurement.',
      );
    });
  }
}

async function compareSpeech(server, title, voices) {
  const measured = Object.fromEntries(Object.keys(voices).map((name) => [name, { firstMs: [], cost: [] }]));
  for (let run = 0; run < TIMING_RUNS; run++) {
    for (const [name, voice] of Object.entries(voices)) {
      await sleep(PAUSE_MS);
      measured[name].firstMs.push(await firstAudioMs(server, voice));
      const before = server.speechCpuSeconds();
      const audio = await speak(server.url, server.key, {
        text: TIMING_TEXT,
        format: 'pcm',
        sample_rate: SAMPLE_RATE_HZ,
        seed: SEED,
        ...voice,
      });
      measured[name].cost.push((server.speechCpuSeconds() - before) / (audio.length / 2 / SAMPLE_RATE_HZ));
    }
  }
  for (const [name, { firstMs, cost }] of Object.entries(measured)) {
    record({ measured: 'speech', title, name, firstMs, cost });
    console.log(
      `${title}, ${name}: first audio ${median(firstMs).toFixed(0)} ms, ${Math.min(...cost).toFixed(4)} CPU s/s (median ${median(cost).toFixed(4)})`,
    );
  }
}

async function firstAudioMs({ url, key }, voice) {
  const startedMs = performance.now();
  const response = await post(`${url}/v1/tts`, key, {
    text: TIMING_TEXT,
    format: 'pcm',
    latency: 'balanced',
    ...voice,
  });
  assert(response.ok, `speech: ${response.status}`);
  const reader = response.body.getReader();
  await reader.read();
  const elapsedMs = performance.now() - startedMs;
  await reader.cancel();
  return elapsedMs;
}

/** The longest recording of each speaker; speakers with several recordings come first. */
function listSpeakers() {
  const recordings = new Map();
  for (const folder of ['speech', 'refs']) {
    for (const file of readdirSync(join(values.kit, 'data', folder))
      .filter((name) => name.endsWith('.flac'))
      .sort()) {
      const path = join(values.kit, 'data', folder, file);
      const [name] = file.split('-');
      if (!recordings.has(name) || statSync(path).size > statSync(recordings.get(name)).size)
        recordings.set(name, path);
    }
  }
  return [...recordings].slice(0, Number(values.speakers)).map(([name, path]) => ({ name, path }));
}

/** The start of a recording as a WAV file. */
async function firstSecondsOf(path) {
  const { execFileSync } = await import('node:child_process');
  return execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-t', String(CLIP_SECONDS), '-f', 'wav', '-']);
}

async function createVoice({ url, key, cpuSeconds }, { name, path, bytes = readFileSync(path) }, trainMode) {
  const startedMs = Date.now();
  const before = cpuSeconds();
  const body = form({ title: name, train_mode: trainMode, texts: 'A sentence.', voices: bytes });
  const response = await post(`${url}/model`, key, body);
  assert(response.status === 201, `cloning: ${response.status} ${await response.clone().text()}`);
  const voice = await response.json();
  record({
    measured: 'creation',
    speaker: name,
    trainMode,
    seconds: (Date.now() - startedMs) / 1000,
    cpuSeconds: cpuSeconds() - before,
    similarity: voice.quality.similarity,
  });
  return { voice };
}

async function findVoice({ url, key }, id) {
  const response = await fetch(`${url}/model/${id}`, { headers: { authorization: `Bearer ${key}` } });
  assert(response.ok, `voice: ${response.status}`);
  return response.json();
}

async function transcribe({ url, key }, wav, language) {
  const response = await post(`${url}/v1/asr`, key, form({ audio: wav, language }));
  assert(response.ok, `transcription: ${response.status}`);
  return (await response.json()).text;
}

/** Writes each sentence to `out/VARIANT/NAME-N.wav` with transcripts.tsv, and all of them to `out/NAME.VARIANT.wav`. */
async function speakAll({ url, key }, { name, variant, texts, voice, language }) {
  const folder = join(out, variant);
  mkdirSync(folder, { recursive: true });
  const files = [];
  for (const [index, text] of texts.entries()) {
    const request = {
      text,
      reference_id: voice,
      format: 'wav',
      sample_rate: SAMPLE_RATE_HZ,
      seed: SEED,
      ...(language && { language }),
    };
    const wav = await speak(url, key, request);
    files.push(wav);
    writeFileSync(join(folder, `${name}-${index}.wav`), wav);
    appendFileSync(join(folder, 'transcripts.tsv'), `${name}-${index}\t${text}\n`);
  }
  const samples = Buffer.concat(files.map((wav) => wav.subarray(WAV_HEADER_BYTES)));
  const header = Buffer.from(files[0].subarray(0, WAV_HEADER_BYTES));
  header.writeUInt32LE(samples.length + WAV_HEADER_BYTES - 8, 4);
  header.writeUInt32LE(samples.length, WAV_HEADER_BYTES - 4);
  writeFileSync(join(out, `${name}.${variant}.wav`), Buffer.concat([header, samples]));
  return files;
}

/** Runs with a server whose new clones are of this engine. */
async function withServer(engine, work) {
  const data = join(values.folder, `data-${engine}`);
  mkdirSync(data, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    MYNAH_DATA: data,
    MYNAH_LOG_LEVEL: 'warn',
    MYNAH_CLONING_ENGINE: engine,
  };
  const child = await startServer({ url, env });
  const isCloning = (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cloning-main');
  const cpuOf = (pids) => pids.reduce((total, pid) => total + cpuSecondsOf(pid), 0);
  const server = {
    url,
    key: firstKey(data),
    cpuSeconds: () => cpuOf([child.pid, ...childrenOf(child.pid)]),
    /** Without the cloning worker. */
    speechCpuSeconds: () => cpuOf([child.pid, ...childrenOf(child.pid).filter((pid) => !isCloning(pid))]),
  };
  try {
    await work(server);
  } finally {
    await stopServer(child);
  }
}

function record(row) {
  appendFileSync(join(values.folder, 'measured.jsonl'), `${JSON.stringify(row)}\n`);
  console.log(JSON.stringify(row));
}

function recorded() {
  return linesOf(join(values.folder, 'measured.jsonl')).map((line) => JSON.parse(line));
}

function linesOf(path) {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}
