import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithout } from '../../../../../test/support/servers/missing-program.ts';
import { useSpeechHost } from '../../../../../test/support/workers/shared-speech-host.ts';
import { Resampler } from '../../../../audio/dsp/resampler.ts';
import { textToPieces } from '../../../../text/front-end/text-to-pieces.ts';
import type { Language } from '../../../../text/piece.ts';
import { XVectorNetwork } from '../../speaker-embedding/x-vector-network.ts';
import { loadSpeakers } from '../../vits/load-vits.ts';
import { MEASURES, similarity } from '../../voice-encoder/measures.ts';
import { OnnxVoiceEncoder } from '../../voice-encoder/voice-encoder.ts';
import { KokoroVoiceSearch } from './voice-search.ts';

const SENTENCE = 'My sister moved to the coast three years ago, and we have not met since.';
const OTHER_SENTENCE = 'Two boys were throwing stones at a tin on the wall, but nobody heard them at all.';
const STEPS = 10;
/** A third of them are English. */
const THOROUGH_STEPS = 24;

const host = useSpeechHost();

/** The voice to clone is one that the decoder was not trained on: a speaker of the VITS. */
test('gradient descent makes a clone more similar, and the clone speaks other languages', async (t) => {
  const context = host.context();
  const [speakers, xVectors] = await Promise.all([loadSpeakers(context), XVectorNetwork.open(context)]);
  const encoder = await OnnxVoiceEncoder.open(context.asset('voice-encoder'), {
    threads: context.threads,
    xVectors,
    speakers: async () => speakers,
  });
  const speak = async (engine: string, values: Float32Array, language: Language, text: string) => {
    const { speak: run, sampleRateHz } = await host.engine(engine).then((loaded) => ({
      speak: loaded.speak.bind(loaded),
      sampleRateHz: loaded.sampleRateHz,
    }));
    const resampler = new Resampler({ fromHz: sampleRateHz, toHz: encoder.sampleRateHz });
    const words = [...textToPieces(text, reading(language))].flatMap((piece) => piece.words);
    const utterance = { words, language, voice: { kind: 'vector', values }, speed: 1, seed: 1 } as const;
    const parts: Float32Array[] = [];
    for await (const part of run(utterance, new AbortController().signal))
      parts.push(resampler.process(part.samples));
    return Float32Array.from(parts.flatMap((part) => [...part]));
  };

  const recording = await speak('vits', speakers[7]!, 'en-US', SENTENCE);
  const search = await KokoroVoiceSearch.open(context, async () => encoder);
  const target = search.targetFor(await encoder.measure(recording));
  // The descent starts from another speaker, at the pitch of the recording.
  const other = await speak('vits', speakers[100]!, 'en-US', SENTENCE);
  const wrong = Float32Array.from(await encoder.measure(other));
  wrong.set(target.subarray(MEASURES.pitch.from), MEASURES.pitch.from);
  const heard = await search.hear(recording);
  const known = { ...heard, isThorough: false, measures: target, parts: [] };
  const aim = { ...known, embedding: undefined };
  const first = await search.predict({ ...aim, measures: wrong });
  const options = { steps: STEPS, trialsAtOnce: 2, signal: new AbortController().signal };
  const refined = await search.descend(first, aim, options);
  assert.ok(search.accepts(refined) && !search.accepts(speakers[7]!));
  const likeness = async (vector: Float32Array) =>
    similarity(
      await encoder.measure(await speak('kokoro-fast', vector, 'en-US', SENTENCE)),
      target,
      MEASURES.xVector,
    );
  const [before, after] = [await likeness(first), await likeness(refined)];
  assert.ok(after > before + 0.03, `${before} → ${after}`);

  // The decoder says the recording again; a transcript of something else is refused.
  const parts = await search.partsOf({ samples: recording, text: SENTENCE }, first);
  assert.equal(parts.length, 4);
  assert.deepEqual(await search.partsOf({ samples: recording, text: OTHER_SENTENCE }, first), []);
  assert.deepEqual(await search.partsOf({ samples: recording, text: '…' }, first), []);
  const compared = await search.descend(first, { ...aim, parts }, options);
  const withParts = await likeness(compared);
  assert.ok(withParts > before + 0.03, `${before} → ${withParts}`);

  const spanish = await encoder.measure(
    await speak('kokoro-fast', refined, 'es', 'Mi hermana vive en la costa con sus dos hijos.'),
  );
  const pitchError = Math.abs(spanish[MEASURES.pitch.from]! - target[MEASURES.pitch.from]!);
  assert.ok(pitchError < 0.25, `${pitchError} octaves from the pitch of the recording`);
  assert.ok(similarity(spanish, target, MEASURES.xVector) > 0.2);
  // With ECAPA-TDNN it becomes more similar by that network too.
  const thorough = { ...known, isThorough: true };
  if (thorough.embedding === undefined) {
    await Promise.all([search.close(), encoder.close()]);
    return skipWithout('python', t, 'ECAPA-TDNN could not be installed');
  }
  const ecapaLikeness = async (vector: Float32Array, language: Language = 'en-US', text = SENTENCE) => {
    const speech = await speak('kokoro-fast', vector, language, text);
    const { embedding } = await search.hear(speech);
    return embedding!.reduce((sum, value, index) => sum + value * thorough.embedding![index]!, 0);
  };
  // The estimate is more similar if it knows the embedding.
  const estimates = [await search.predict(aim), await search.predict(known)] as const;
  const [blind, informed] = [await ecapaLikeness(estimates[0]), await ecapaLikeness(estimates[1])];
  assert.ok(informed > blind, `${blind} → ${informed}`);
  const closer = await search.descend(first, thorough, { ...options, steps: THOROUGH_STEPS });
  const [without, withEcapa] = [await ecapaLikeness(refined), await ecapaLikeness(closer)];
  assert.ok(withEcapa > without + 0.03, `${without} → ${withEcapa}`);
  // It is compared in French and Italian too.
  for (const [language, text] of [
    ['fr', 'Ma sœur habite au bord de la mer avec ses deux enfants.'],
    ['it', 'Mia sorella abita sulla costa con i suoi due figli.'],
  ] as const) {
    const [before, after] = [
      await ecapaLikeness(refined, language, text),
      await ecapaLikeness(closer, language, text),
    ];
    assert.ok(after > before + 0.03, `${language}: ${before} → ${after}`);
  }
  await Promise.all([search.close(), encoder.close()]);
});

function reading(language: Language) {
  return { language, normalize: true, chunkLength: 300, minChunkLength: 50, cueStyle: 'both' } as const;
}
