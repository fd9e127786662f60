import assert from 'node:assert/strict';
import { test } from 'node:test';
import { synthesizeForAsr } from '../../../../test/support/audio/synthesized-audio.ts';
import { openTranscriptionHost } from '../../../../test/support/workers/engine-context.ts';
import { loadConfig } from '../../../config/config.ts';
import { ASR_SAMPLE_RATE_HZ } from '../../../domain/engines/asr-engine.ts';
import { cosineSimilarity } from '../../../domain/transcription/cosine-similarity.ts';
import { openInstalledModels } from '../../runtime/process/installed-models.ts';
import { extractSpeechCepstra } from './cepstra.ts';
import { PhraseNetwork } from './phrase-network.ts';
import { XVectorNetwork } from './x-vector-network.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave in the morning.';

test('ranges of an analysed phrase have the embeddings of their audio', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const endSeconds = samples.length / ASR_SAMPLE_RATE_HZ;
  const embedder = await openTranscriptionHost().speakerEmbedder();
  const phrase = await embedder.openPhrase(samples);
  const [all, start] = await phrase.embed([
    { startSeconds: 0, endSeconds },
    { startSeconds: 0, endSeconds: 2.5 },
  ]);
  assert.ok(cosineSimilarity(all!, (await embedder.embed(samples))!) > 0.999);
  const expected = await embedder.embed(samples.subarray(0, 2.5 * ASR_SAMPLE_RATE_HZ));
  const similarity = cosineSimilarity(start!, expected!);
  assert.ok(similarity > 0.85, `similarity ${similarity}`);
});

test('phrases have the embeddings of the complete network', async () => {
  const context = { ...openInstalledModels(loadConfig(process.env).config.modelsFolder), threads: 1 };
  const [phrases, complete] = await Promise.all([PhraseNetwork.load(context), XVectorNetwork.open(context)]);
  const { samples } = await synthesizeForAsr(TEXT);
  // The rate is wrong, but both networks receive the same.
  const cepstra = extractSpeechCepstra(samples);
  const phrase = await phrases.open(cepstra);
  const [embedding] = await phrase.embed([{ startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY }]);
  const expected = Array.from(await complete.embed(cepstra.values));
  assert.ok(cosineSimilarity(embedding!, expected) > 0.999);
  await Promise.all([phrases.close(), complete.close()]);
});

test('too little speech has no embedding', async () => {
  const { samples } = await synthesizeForAsr(TEXT);
  const embedder = await openTranscriptionHost().speakerEmbedder();
  assert.equal(await embedder.embed(samples.subarray(0, 0.3 * ASR_SAMPLE_RATE_HZ)), undefined);
  assert.equal(await embedder.embed(new Float32Array(0)), undefined);
  const phrase = await embedder.openPhrase(samples);
  assert.deepEqual(await phrase.embed([{ startSeconds: 1, endSeconds: 1.1 }]), [undefined]);
  assert.deepEqual(await phrase.embed([]), []);
});
