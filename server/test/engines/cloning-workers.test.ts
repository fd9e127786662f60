import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { joinSamples } from '../../src/audio/pcm.ts';
import { CloningRuntime } from '../../src/compose/cloning-runtime.ts';
import { openModelStore } from '../../src/compose/model-store.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ASSETS_FOLDER } from '../../src/config/package-info.ts';
import type { ClonedVoice } from '../../src/domain/voices/voice-cloner.ts';
import { XVectorNetwork } from '../../src/inference/engines/speaker-embedding/x-vector-network.ts';
import { loadSpeakers } from '../../src/inference/engines/vits/load-vits.ts';
import { MEASURES, similarity } from '../../src/inference/engines/voice-encoder/measures.ts';
import { OnnxVoiceEncoder } from '../../src/inference/engines/voice-encoder/voice-encoder.ts';
import { createLogger } from '../../src/logger.ts';
import { synthesizeForAsr } from '../support/audio/synthesized-audio.ts';
import { IS_COMPLETE_RUN } from '../support/engines/complete-run.ts';
import { synthesizeWithVector } from '../support/voices/synthesized-vector.ts';
import { openSpeechHost } from '../support/workers/engine-context.ts';

const REFERENCE =
  'The lamp in the window had been lit every night for years, and the people who came home late were glad of it. ' +
  'Nobody knew who had begun the custom.';
const UNSEEN = 'Her answer surprised them all: the ship would leave at noon, with or without its captain.';
const PEOPLE = [
  { name: 'af_heart', gender: 'female' },
  { name: 'am_michael', gender: 'male' },
] as const;
/** The cloned ones. */
const CLONED = IS_COMPLETE_RUN ? PEOPLE : PEOPLE.slice(0, 1);
/** Voices that are designed. */
const WISHES = [
  { gender: 'female', pitch: 2, isMatched: (pitchHz: number) => pitchHz > 205 },
  { gender: 'male', pitch: -2, isMatched: (pitchHz: number) => pitchHz < 110 },
] as const;
const DESIGNED = IS_COMPLETE_RUN ? WISHES : WISHES.slice(0, 1);
/** Voices that a clone is compared with: the cloned ones, and one more of the same gender. */
const COMPARED = ['af_heart', 'am_michael', 'bf_emma'] as const;

describe('processes that find voices', () => {
  const { config } = loadConfig(process.env);
  const store = openModelStore(config, process.env);
  const logger = createLogger({ ...config, logLevel: 'silent' });
  const cloning = new CloningRuntime({ ...config, cloningEngine: 'vits' }, { logger, store });
  const references = new Map<string, Float32Array>();
  const clones = new Map<string, ClonedVoice>();
  const host = openSpeechHost();
  let encoder: OnnxVoiceEncoder;

  before(async () => {
    const xVectors = await XVectorNetwork.open(host.context());
    encoder = await OnnxVoiceEncoder.open(`${ASSETS_FOLDER}/voice-encoder`, {
      threads: 1,
      xVectors,
      speakers: () => loadSpeakers(host.context()),
    });
    for (const name of COMPARED) {
      references.set(name, (await synthesizeForAsr(REFERENCE, { voice: name })).samples);
    }
  });
  after(async () => {
    await cloning.close();
    await encoder.close();
  });

  const likeness = (measures: Float32Array, target: Float32Array): number =>
    similarity(measures, target, MEASURES.xVector) + similarity(measures, target, MEASURES.dVector);

  const mostAlike = async (measures: Float32Array) => {
    const compared = [];
    for (const name of COMPARED) {
      const target = await encoder.measure(references.get(name)!);
      compared.push({ name, likeness: likeness(measures, target) });
    }
    return compared.reduce((best, other) => (other.likeness > best.likeness ? other : best));
  };

  test('a clone of a voice of another engine is most like the one it was made from', async () => {
    const signal = new AbortController().signal;
    for (const { name, gender } of CLONED) {
      const clone = await cloning.cloner.clone([references.get(name)!], signal);
      assert.equal(clone.engine, 'vits');
      assert.equal(clone.vector.length, 512);
      assert.equal(clone.gender, gender);
      assert.ok(clone.loudnessLufs > -40 && clone.loudnessLufs < -10, `${clone.loudnessLufs} LUFS`);
      clones.set(name, clone);
    }
    for (const { name } of CLONED) {
      const speech = await synthesizeWithVector(host, UNSEEN, clones.get(name)!);
      const best = await mostAlike(await encoder.measure(speech));
      assert.equal(best.name, name);
      assert.ok(best.likeness > 1.3, `${name} is like itself by ${best.likeness} of 2`);
    }
  });

  test('a clone of the default engine is most like the voice that it was made from', async () => {
    const byDefault = new CloningRuntime(config, { logger, store });
    try {
      const [{ name, gender }] = PEOPLE;
      const clone = await byDefault.cloner.clone([references.get(name)!], new AbortController().signal);
      assert.equal(clone.engine, 'kokoro-fast');
      assert.equal(clone.gender, gender);
      const speech = await synthesizeWithVector(host, UNSEEN, clone);
      assert.equal((await mostAlike(await encoder.measure(speech))).name, name);
    } finally {
      await byDefault.close();
    }
  });

  test('a recording of two people, and two recordings of different people, are refused', async () => {
    const signal = new AbortController().signal;
    const [heart, michael] = ['af_heart', 'am_michael'].map((name) => references.get(name)!);
    const alternating = joinSamples([heart!.subarray(0, 90_000), michael!.subarray(0, 90_000)]);
    for (const clips of [[alternating], [heart!, michael!]]) {
      const refusal = { code: 'unusable_recording', message: /several_speakers: / };
      await assert.rejects(cloning.cloner.clone(clips, signal), refusal);
    }
  });

  test('refining goes on from a voice, and can be left', async () => {
    const [{ name }] = PEOPLE;
    const first = clones.get(name)!;
    const { signal } = new AbortController();
    const refined = cloning.cloner.refine!([references.get(name)!], { from: first }, signal);
    const distances: number[] = [];
    for await (const { vector, measures } of refined) {
      assert.equal(vector.length, first.vector.length);
      distances.push(measures.distance!);
      break;
    }
    assert.equal(distances.length, 1);
    assert.ok(distances[0]! < 1.5, `${distances[0]}`);
  });

  test('voices made up after a wish have the gender and the pitch that was wished for', async () => {
    const signal = new AbortController().signal;
    for (const { isMatched, ...targets } of DESIGNED) {
      for await (const voice of cloning.cloner.design({ targets, count: 1, seed: 5 }, signal)) {
        assert.equal(voice.gender, targets.gender);
        const measures = await encoder.measure(await synthesizeWithVector(host, UNSEEN, voice));
        assert.equal(await encoder.genderOf(measures), targets.gender);
        const { pitchHz } = await encoder.traitsOf(measures);
        assert.ok(isMatched(pitchHz), `${pitchHz} Hz`);
      }
    }
  });

  test('an abort is answered with its reason', async () => {
    const clips = [references.get('af_heart')!];
    const signal = AbortSignal.timeout(30);
    await assert.rejects(cloning.cloner.clone(clips, signal), { name: 'TimeoutError' });
  });
});
