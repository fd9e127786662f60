import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { makeTinyVits, TINY_CONFIG } from '../../../../test/support/engines/tiny-vits.ts';
import { spokenWords, testEngineContract } from '../../../../test/support/engines/tts-engine-contract.ts';
import type { Phonemizer } from '../../../domain/engines/phonemizer.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import { deriveInFolder } from '../onnx/derive-in-folder.ts';
import { writeModel } from '../onnx/model.ts';
import { openVitsGraph } from './open-graph.ts';
import type { TextLoudness } from './text-loudness.ts';
import { createVitsEngine, ONLY_VOICE } from './vits-engine.ts';
import { VitsModel } from './vits-model.ts';

/** A voice trained on letters does not call the phonemizer. */
const NO_PHONEMIZER: Phonemizer = {
  languages: [],
  kokoro: () => assert.fail('not a Kokoro voice'),
  espeakIpa: () => assert.fail('not a voice trained on phonemes'),
  prepare: () => assert.fail('nothing to prepare'),
  install: () => assert.fail('nothing to install'),
};

async function openTiny(speakerCount: number) {
  const folder = await mkdtemp(join(tmpdir(), 'vits-engine-'));
  const modelPath = join(folder, 'voice.onnx');
  await writeFile(modelPath, writeModel(makeTinyVits({ speakerCount })));
  return { folder, opened: await openVitsGraph(modelPath, deriveInFolder(folder)) };
}

async function createTinyEngine(speakerCount: number, textLoudness?: TextLoudness): Promise<TtsEngine> {
  const { folder, opened } = await openTiny(speakerCount);
  const options = {
    ...{ name: 'tiny', opened, phonemizer: NO_PHONEMIZER, threads: 1 },
    ...(textLoudness && { textLoudness }),
  };
  const engine = await createVitsEngine({
    ...options,
    config: {
      ...TINY_CONFIG,
      speakerRows: new Map([
        ['alto', 1],
        ['2', 0],
      ]),
    },
  });
  await rm(folder, { recursive: true });
  return engine;
}

async function setup(t: TestContext, speakerCount: number, textLoudness?: TextLoudness) {
  const engine = await createTinyEngine(speakerCount, textLoudness);
  t.after(() => engine.close());
  const speak = async (changes: Partial<Utterance> = {}): Promise<SpeechPart[]> => {
    const utterance: Utterance = {
      words: spokenWords('one two three'),
      language: 'en-US',
      voice: { kind: 'named', name: engine.voices[0]! },
      speed: 1,
      seed: 3,
      ...changes,
    };
    const parts: SpeechPart[] = [];
    for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
    return parts;
  };
  return { engine, speak };
}

for (const [what, speakerCount] of [
  ['three speakers', 3],
  ['one voice', 0],
] as const) {
  let engine: TtsEngine;
  testEngineContract(`a tiny VITS model of ${what}`, async () => {
    engine = await createTinyEngine(speakerCount);
    return engine;
  });
  after(() => engine.close());
}

test('speakers are selected by number or name, and a number is always the row', async (t) => {
  const { engine, speak } = await setup(t, 3);
  assert.deepEqual(engine.voices, ['0', '1', '2', 'alto']);
  const named = (name: string) => speak({ voice: { kind: 'named', name } });
  assert.deepEqual(await named('alto'), await named('1'));
  assert.notDeepEqual(await named('2'), await named('0'));
});

test('the vector of a speaker gives the same samples as the speaker', async (t) => {
  const { speak } = await setup(t, 3);
  const { folder, opened } = await openTiny(3);
  t.after(() => rm(folder, { recursive: true }));
  const model = await VitsModel.open(opened, { threads: 1 });
  t.after(() => model.close());
  const byVector = await speak({ voice: { kind: 'vector', values: model.speaker(1) } });
  assert.deepEqual(byVector, await speak({ voice: { kind: 'named', name: '1' } }));
  const broken = model.speaker(1).fill(Number.NaN);
  await assert.rejects(speak({ voice: { kind: 'vector', values: broken } }), ApiError);
});

test('a single-speaker model has one voice and accepts no vector', async (t) => {
  const { engine, speak } = await setup(t, 0);
  assert.deepEqual(engine.voices, [ONLY_VOICE]);
  assert.equal(engine.capabilities.speakerVectors, false);
  await assert.rejects(speak({ voice: { kind: 'vector', values: new Float32Array(6) } }), ApiError);
});

test('another language is rejected, another accent is accepted', async (t) => {
  const { speak } = await setup(t, 0);
  assert.ok((await speak({ language: 'en-GB' })).length > 0);
  await assert.rejects(
    speak({ language: 'fr' }),
    (error) => error instanceof ApiError && error.code === 'language_not_supported',
  );
});

test('words without known symbols give no audio', async (t) => {
  const { speak } = await setup(t, 0);
  assert.deepEqual(await speak({ words: spokenWords('жук') }), []);
  assert.deepEqual(await speak({ words: [] }), []);
});

test('a text that is predicted louder than the mean is attenuated by the difference', async (t) => {
  const plain = await (await setup(t, 0)).speak();
  const levelled = await (await setup(t, 0, { weights: new Array(192).fill(0), offset: 3 })).speak();
  assert.equal(levelled.length, plain.length);
  for (const [index, { samples }] of levelled.entries()) {
    const factor = 10 ** (-3 / 20);
    for (const [at, sample] of plain[index]!.samples.entries()) {
      assert.ok(Math.abs(samples[at]! - factor * sample) < 1e-6);
    }
  }
});
