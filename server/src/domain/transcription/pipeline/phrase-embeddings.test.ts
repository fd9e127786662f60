import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASR_SAMPLE_RATE_HZ, type SpeakerEmbedder } from '../../engines/asr-engine.ts';
import { PhraseEmbeddings } from './phrase-embeddings.ts';
import type { SpeechSegment } from './segment-cutter.ts';

/** Speech from 10 s to 20 s of a recording. */
const SPEECH: SpeechSegment = {
  samples: new Float32Array(10 * ASR_SAMPLE_RATE_HZ),
  startSeconds: 10,
  speechSeconds: 10,
  lastSpeechSeconds: 20,
  pausesSeconds: [],
  ownFromSeconds: 10,
  ownToSeconds: 20,
};
const PHRASE = { startSeconds: 12, endSeconds: 16 };

/** Embeddings that tell what they are of: the length of the audio, or the bounds of a range of a phrase. */
function embedderWithLog(): { readonly embedder: SpeakerEmbedder; readonly opened: number[] } {
  const opened: number[] = [];
  const lengthOf = (samples: Float32Array) => samples.length / ASR_SAMPLE_RATE_HZ;
  const embedder: SpeakerEmbedder = {
    embed: async (samples) => [lengthOf(samples)],
    openPhrase: async (samples) => {
      opened.push(lengthOf(samples));
      return { embed: async (ranges) => ranges.map((range) => [range.startSeconds, range.endSeconds]) };
    },
    close: async () => {},
  };
  return { embedder, opened };
}

test('a phrase is analysed once for all of its ranges, which are relative to its start', async () => {
  const { embedder, opened } = embedderWithLog();
  const embeddings = new PhraseEmbeddings(PHRASE, SPEECH, embedder);
  const ranges = [
    { startSeconds: 12, endSeconds: 14 },
    { startSeconds: 13, endSeconds: 15 },
  ];
  assert.deepEqual(await embeddings.ofRanges(ranges), [
    [0, 2],
    [1, 3],
  ]);
  assert.deepEqual(await embeddings.ofAll(), [0, 4]);
  assert.deepEqual(opened, [4]);
});

test('a phrase without ranges and parts of a divided phrase are embedded by themselves', async () => {
  const { embedder, opened } = embedderWithLog();
  const embeddings = new PhraseEmbeddings(PHRASE, SPEECH, embedder);
  assert.deepEqual(await embeddings.ofAll(), [4]);
  assert.deepEqual(await embeddings.ofPart({ startSeconds: 12, endSeconds: 13.5 }), [1.5]);
  assert.deepEqual(opened, []);
});
