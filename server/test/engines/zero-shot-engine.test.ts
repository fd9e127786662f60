import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { joinSamples } from '../../src/audio/pcm.ts';
import { openModelStore } from '../../src/compose/model-store.ts';
import { findZeroShotEngines } from '../../src/compose/speech/zero-shot-engines.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ASSETS_FOLDER } from '../../src/config/package-info.ts';
import { ZERO_SHOT_ENGINE_NAMES } from '../../src/domain/engines/zero-shot-engine.ts';
import { EngineSelector } from '../../src/domain/speech/engine-selector.ts';
import { toPiecePlan } from '../../src/domain/speech/voice-assigner.ts';
import { VoiceRecordings } from '../../src/domain/voices/library/voice-recordings.ts';
import { RECORDING_RATE_HZ, type Voice } from '../../src/domain/voices/voice.ts';
import { POCKET, POCKET_FILES } from '../../src/inference/engines/pocket/pocket-files.ts';
import { ZERO_SHOT_ENGINES } from '../../src/inference/engines/registry.ts';
import { ZIPVOICE, ZIPVOICE_FILES } from '../../src/inference/engines/zipvoice/zipvoice-files.ts';
import { CATALOGUE } from '../../src/inference/models/catalogue/catalogue.ts';
import { writeInstallRecord } from '../../src/inference/models/store/install-record.ts';
import type { ModelStore } from '../../src/inference/models/store/model-store.ts';
import { createStoreLayout } from '../../src/inference/models/store/store-layout.ts';
import { SpeechPool } from '../../src/inference/runtime/speech/speech-pool.ts';
import { writeTinyPocket } from '../support/engines/tiny-pocket.ts';
import { writeTinyZipVoice } from '../support/engines/tiny-zipvoice.ts';
import { spokenWords } from '../support/engines/tts-engine-contract.ts';
import { LocalClipReader } from '../support/voices/local-clip-reader.ts';
import { synthesizeTalk } from '../support/voices/synthetic-talk.ts';

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

test('the engines that speak like a recording find their files under the names of the catalogue', () => {
  for (const [id, files] of [
    [POCKET, POCKET_FILES],
    [ZIPVOICE, ZIPVOICE_FILES],
  ] as const) {
    const names = CATALOGUE.find(id)?.files.map(({ name }) => name);
    assert.deepEqual(names?.toSorted(), Object.values(files).toSorted());
  }
});

/** Names of the engines that are found, the preferred first. */
const foundEngines = async () =>
  (await findZeroShotEngines(store, ZERO_SHOT_ENGINE_NAMES)).map(({ name }) => name);

test('an engine is found once its model is there, the preferred one first', async () => {
  assert.deepEqual(await foundEngines(), []);
  await writeTinyPocket(root);
  await store.importFrom(root, POCKET);
  assert.deepEqual(await foundEngines(), [POCKET]);
  await installTinyZipVoice();
  assert.deepEqual(await foundEngines(), [ZIPVOICE, POCKET]);
});

/** Put there by hand: the store itself takes no vocoder but the published one. */
async function installTinyZipVoice(): Promise<void> {
  const layout = createStoreLayout(join(root, 'models'));
  await mkdir(layout.modelFolder(ZIPVOICE), { recursive: true });
  await writeTinyZipVoice(layout.modelFolder(ZIPVOICE));
  const files = (CATALOGUE.find(ZIPVOICE)?.files ?? []).map(async ({ name, sha256 = '' }) => {
    const { size: sizeBytes } = await stat(join(layout.modelFolder(ZIPVOICE), name));
    return { name, sha256, sizeBytes };
  });
  await writeInstallRecord(layout, { id: ZIPVOICE, installedAt: '', files: await Promise.all(files) });
}

test('they speak like a recording in a real worker', async () => {
  const pool = new SpeechPool({
    policy: { startTimeoutMs: 60_000, memoryMaxBytes: 2 ** 31 },
    waitForWorkerMs: 60_000,
    onEvent: () => {},
  });
  try {
    await pool.start({
      count: 1,
      settings: { modelsRoot: join(root, 'models'), assetsRoot: ASSETS_FOLDER, threads: 1 },
      warmEngines: [],
    });
    const recording = synthesizeTalk({ seconds: 2, sampleRateHz: RECORDING_RATE_HZ });
    const utterance = {
      words: spokenWords('The little boat came home.'),
      language: 'en-US',
      voice: { kind: 'recording', samples: recording, text: 'A quiet morning.' },
      speed: 1,
      seed: 1,
    } as const;
    const signal = new AbortController().signal;
    const options = { dueAtMs: Date.now(), isFirstAudio: true, accountId: '', signal, stream: {} };
    const said = async (engine: string) => {
      const parts: Float32Array[] = [];
      for await (const part of pool.speak(engine, utterance, options)) parts.push(part.samples);
      return joinSamples(parts);
    };
    const level = recording.reduce((sum, sample) => sum + Math.abs(sample), 0) / recording.length;
    const loudest = (await said(POCKET)).reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
    assert.ok(Math.abs(loudest - level) < 0.1 * level, `${loudest} is not ${level}`);
    assert.ok((await said(ZIPVOICE)).length > 2 * RECORDING_RATE_HZ, 'more words than in two seconds');
  } finally {
    await pool.close();
  }
});

test('a voice with a recording is spoken like it by the first engine that can, and as it was found elsewhere', () => {
  const wishes = { overrides: {}, bestKokoro: () => 'kokoro-fast' };
  const recording = { samples: Float32Array.of(0.1, 0.2), text: 'Good day.' };
  const wordless = { ...recording, text: ' ' };
  const both = [ZERO_SHOT_ENGINES[ZIPVOICE], ZERO_SHOT_ENGINES[POCKET]];
  const found = ['vits', { kind: 'vector', values: VOICE.vector }] as const;
  for (const [zeroShotEngines, voice, expected] of [
    [both, { ...VOICE, recording }, [ZIPVOICE, { kind: 'recording', ...recording }]],
    [both.toReversed(), { ...VOICE, recording }, [POCKET, { kind: 'recording', ...recording }]],
    [both, { ...VOICE, recording: wordless }, [POCKET, { kind: 'recording', ...wordless }]],
    [both.slice(0, 1), { ...VOICE, recording: wordless }, found],
    [both, VOICE, found],
    [[], { ...VOICE, recording }, found],
  ] as const) {
    const engine = new EngineSelector({ ...wishes, zeroShotEngines }).selectEngine('s1', voice);
    const plan = toPiecePlan({ voice, language: 'en-US', engine });
    assert.deepEqual([plan.engine, plan.voice], expected);
    // The loudness of the voice is that of its own engine.
    assert.equal(plan.isLoudnessTypical === true, plan.voice.kind === 'recording');
  }
});

test('the recording of a kept voice is read once, and forgotten with it', async (context) => {
  const wav = (samples: Float32Array) => encodeWavFile({ samples, sampleRateHz: 16_000 });
  const kept = new Map([
    ['silence', wav(new Float32Array(48_000))],
    ['speech', wav(synthesizeTalk({ seconds: 20, sampleRateHz: 16_000 }))],
    ['short', wav(synthesizeTalk({ seconds: 5, sampleRateHz: 16_000 }))],
    ['text', Buffer.from('no sound at all')],
  ]);
  let reads = 0;
  const problems: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'mynah-recordings-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, file] of kept) await writeFile(join(folder, name), file);
  const reader = new LocalClipReader();
  const call = { accountId: 'account', signal: new AbortController().signal };
  const recordings = new VoiceRecordings({
    files: {
      locate: async (name) => {
        reads++;
        return kept.has(name) ? join(folder, name) : undefined;
      },
    },
    reader,
    limits: { speechMinSeconds: 1, maxSeconds: 60, ffmpegPath: '' },
    transcriber: {
      transcribe: async (samples) => ({ text: `${samples.length / 16_000} s`, language: 'en' }),
    },
    cacheMax: 8,
    onProblem: (id) => problems.push(id),
  });
  const voiceOf = (id: string, ...files: string[]) => ({
    id,
    samples: files.map((file) => ({ title: '', text: 'All that is said.', file })),
  });
  const ada = voiceOf('ada', 'gone', 'silence', 'speech');
  const recording = await recordings.find(ada, call);
  assert.equal(recording?.samples.length, 10 * RECORDING_RATE_HZ);
  assert.equal(recording?.text, '10 s', 'the text is of all that is said, so its beginning is heard anew');
  assert.equal((await recordings.find(voiceOf('eve', 'short'), call))?.text, 'All that is said.');
  assert.equal(await recordings.find(ada, call), recording);
  assert.equal(reads, 4);
  recordings.forget('ada');
  await recordings.find(ada, call);
  assert.equal(reads, 7);
  assert.equal(await recordings.find(voiceOf('mixed'), call), undefined);
  assert.equal(await recordings.find(voiceOf('broken', 'text'), call), undefined);
  assert.deepEqual(problems, ['broken']);
});
