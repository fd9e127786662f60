import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { joinSamples } from '../src/audio/pcm.ts';
import { encodeWavFile } from '../src/audio/wav.ts';
import { loadConfig } from '../src/config.ts';
import { spokenWords } from '../src/engines/contract.ts';
import { POCKET } from '../src/engines/pocket/pocket-files.ts';
import { writeTinyPocket } from '../src/engines/pocket/tiny-pocket.ts';
import type { ModelStore } from '../src/models/model-store.ts';
import { openModelStore } from '../src/open-model-store.ts';
import { findRecordingEngine } from '../src/recording-engine.ts';
import { toPiecePlan } from '../src/speech/cast.ts';
import { EngineChoice } from '../src/speech/engine-choice.ts';
import { talk } from '../src/voices/intake/test-talk.ts';
import { RECORDING_RATE_HZ, type Voice } from '../src/voices/voice.ts';
import { VoiceRecordings } from '../src/voices/voice-recordings.ts';
import { WorkerPool } from '../src/workers/pool.ts';
import { ASSETS } from './engine-context.ts';

let root: string;
let store: ModelStore;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mynah-recording-'));
  const { config } = loadConfig({ MYNAH_MODELS: join(root, 'models'), MYNAH_LOG_LEVEL: 'silent' });
  store = openModelStore(config, {});
});
after(() => rm(root, { recursive: true }));

const VOICE: Voice = {
  id: 'a'.repeat(32),
  name: 'Ada',
  title: 'Ada',
  description: '',
  engine: 'vits',
  engineVoice: 'Ada',
  vector: Float32Array.of(1, 2, 3),
  language: 'en-US',
  locale: 'en-US',
  gender: 'female',
  loudnessLufs: -20,
  tags: [],
  isListed: false,
  createdAtMs: 0,
};

test('the engine is found once its model is there, and speaks like a recording in a real worker', async () => {
  assert.equal(await findRecordingEngine(store), undefined);
  const folder = join(root, 'tiny');
  await mkdir(folder);
  await writeTinyPocket(folder);
  await store.importFrom(folder, POCKET);
  assert.equal(await findRecordingEngine(store), POCKET);

  const pool = new WorkerPool({
    policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31 },
    waitForWorkerMs: 60_000,
    onEvent: () => {},
  });
  try {
    await pool.start({
      count: 1,
      settings: { modelsRoot: join(root, 'models'), assetsRoot: ASSETS, threads: 1 },
      warmEngines: [],
    });
    const recording = talk({ seconds: 2, sampleRateHz: RECORDING_RATE_HZ });
    const utterance = {
      words: spokenWords('The little boat came home.'),
      language: 'en-US',
      voice: { kind: 'vector', values: recording },
      speed: 1,
      seed: 1,
    } as const;
    const signal = new AbortController().signal;
    const options = { dueAtMs: Date.now(), isOpening: true, signal, stream: {} };
    const parts: Float32Array[] = [];
    for await (const part of pool.speak(POCKET, utterance, options)) parts.push(part.samples);
    const level = recording.reduce((sum, sample) => sum + Math.abs(sample), 0) / recording.length;
    const loudest = joinSamples(parts).reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
    assert.ok(Math.abs(loudest - level) < 0.1 * level, `${loudest} is not ${level}`);
  } finally {
    await pool.close();
  }
});

test('a voice with a recording is spoken like it where an engine can, and as it was found elsewhere', () => {
  const wishes = { overrides: {}, bestKokoro: () => 'kokoro-fast' };
  const recording = Float32Array.of(0.1, 0.2);
  const planOf = (engines: EngineChoice, voice: Voice) =>
    toPiecePlan({ voice, language: 'en-US', engine: engines.engineFor('s1', voice) });
  const able = new EngineChoice({ ...wishes, likeRecording: POCKET });
  const heard = planOf(able, { ...VOICE, recording });
  assert.deepEqual([heard.engine, heard.voice], [POCKET, { kind: 'vector', values: recording }]);
  for (const [engines, voice] of [
    [able, VOICE],
    [new EngineChoice(wishes), { ...VOICE, recording }],
  ] as const) {
    const found = planOf(engines, voice);
    assert.deepEqual([found.engine, found.voice], ['vits', { kind: 'vector', values: VOICE.vector }]);
  }
});

test('the recording of a kept voice is read once, and forgotten with it', async () => {
  const wav = (samples: Float32Array) => encodeWavFile({ samples, sampleRateHz: 16_000 });
  const kept = new Map([
    ['silence', wav(new Float32Array(48_000))],
    ['speech', wav(talk({ seconds: 20, sampleRateHz: 16_000 }))],
    ['text', Buffer.from('no sound at all')],
  ]);
  let reads = 0;
  const problems: string[] = [];
  const recordings = new VoiceRecordings({
    files: {
      read: async (name) => {
        reads++;
        return kept.get(name);
      },
      write: async () => {},
      remove: async () => {},
    },
    reading: { speechMinSeconds: 1, maxSeconds: 60, ffmpegPath: '' },
    cacheMax: 8,
    onProblem: (id) => problems.push(id),
  });
  const voiceOf = (id: string, ...files: string[]) => ({
    id,
    samples: files.map((file) => ({ title: '', text: '', file })),
  });
  const ada = voiceOf('ada', 'gone', 'silence', 'speech');
  const recording = await recordings.of(ada);
  assert.equal(recording?.length, 12 * RECORDING_RATE_HZ);
  assert.equal(await recordings.of(ada), recording);
  assert.equal(reads, 3);
  recordings.forget('ada');
  await recordings.of(ada);
  assert.equal(reads, 6);
  assert.equal(await recordings.of(voiceOf('mixed')), undefined);
  assert.equal(await recordings.of(voiceOf('broken', 'text')), undefined);
  assert.deepEqual(problems, ['broken']);
});
