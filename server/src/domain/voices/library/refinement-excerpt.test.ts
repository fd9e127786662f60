import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transcribeExcerpt } from './refinement-excerpt.ts';

const RATE_HZ = 16_000;
const TEXT = 'The rain stopped before noon, and the streets were dry again by one.';
const SPANISH = 'La lluvia paró antes del mediodía y las calles ya estaban secas a la una.';
const { signal } = new AbortController();

function recordingOf(seconds: number, text: string, durationSeconds = seconds) {
  return { samples: new Float32Array(seconds * RATE_HZ).fill(0.1), text, durationSeconds };
}

/** A transcriber that returns this transcript and counts what it has transcribed. */
function transcriberOf(text: string, language: string | undefined = 'en') {
  const seconds: number[] = [];
  return {
    seconds,
    transcribe: async (samples: Float32Array) => {
      seconds.push(samples.length / RATE_HZ);
      return { text, language };
    },
  };
}

test('the text of the client is used for a short recording', async () => {
  const transcriber = transcriberOf('something else');
  const excerpt = await transcribeExcerpt(recordingOf(5, TEXT), {
    sampleRateHz: RATE_HZ,
    transcriber,
    signal,
  });
  assert.equal(excerpt?.text, TEXT);
  assert.equal(excerpt?.samples.length, 5 * RATE_HZ);
  assert.deepEqual(transcriber.seconds, []);
});

test('a long recording is transcribed in part, because its text is that of the whole', async () => {
  for (const recording of [recordingOf(40, TEXT.repeat(8)), recordingOf(11, TEXT.repeat(2), 14)]) {
    const transcriber = transcriberOf(TEXT.repeat(2));
    const options = { sampleRateHz: RATE_HZ, transcriber, signal };
    const excerpt = await transcribeExcerpt(recording, options);
    assert.equal(excerpt?.text, TEXT.repeat(2));
    assert.equal(excerpt?.samples.length, Math.min(12 * RATE_HZ, recording.samples.length));
    assert.deepEqual(transcriber.seconds, [excerpt!.samples.length / RATE_HZ]);
  }
});

test('an implausible text and one in another language are replaced by a transcript', async () => {
  for (const text of ['', 'A sentence.', TEXT.repeat(9), SPANISH]) {
    const transcriber = transcriberOf(TEXT, undefined);
    const options = { sampleRateHz: RATE_HZ, transcriber, signal };
    assert.equal((await transcribeExcerpt(recordingOf(6, text), options))?.text, TEXT);
  }
});

test('without a usable transcript there is no excerpt', async () => {
  const recording = recordingOf(6, '');
  for (const transcriber of [
    undefined,
    transcriberOf(''),
    transcriberOf(TEXT, 'de'),
    transcriberOf(SPANISH),
  ]) {
    const options = { sampleRateHz: RATE_HZ, transcriber, signal };
    assert.equal(await transcribeExcerpt(recording, options), undefined);
  }
  const options = { sampleRateHz: RATE_HZ, transcriber: transcriberOf(TEXT), signal };
  assert.equal(await transcribeExcerpt(recordingOf(2, TEXT), options), undefined);
});
