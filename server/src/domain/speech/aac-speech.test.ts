import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { ToneSpeech } from '../../../test/support/workers/tone-speech.ts';
import { AdtsFrameCounter } from '../../audio/encode/adts-frame-counter.ts';
import { DEFAULT_SPEECH_REQUEST } from '../../compose/speech/speech-runtime.ts';
import { withAac } from './aac-speech.ts';

// CI has FFmpeg.
const withFfmpeg = { skip: !hasFfmpeg && 'FFmpeg is not installed' };
const REQUEST = { ...DEFAULT_SPEECH_REQUEST, accountId: 'ada', format: 'aac' } as const;
const CHUNK_SECONDS = 2048 / 44_100;

function openSpeech() {
  const tone = new ToneSpeech();
  let usedSlots = 0;
  const slots = {
    acquire: async () => {
      usedSlots++;
      return () => {
        usedSlots--;
      };
    },
  };
  const speech = withAac(tone, { ffmpegPath: 'ffmpeg', slots, waitMs: 1000 });
  return { speech, tone, usedSlots: () => usedSlots };
}

test('the source is read two seconds ahead of the reader at most', withFfmpeg, async () => {
  const { speech, tone, usedSlots } = openSpeech();
  const abort = new AbortController();
  const { body } = await speech.speak({ ...REQUEST, text: 'x'.repeat(20_000) }, abort.signal);
  const frames = new AdtsFrameCounter();
  for await (const bytes of body) {
    frames.read(bytes);
    const aheadSeconds = tone.chunks * CHUNK_SECONDS - (frames.count * 1024) / 44_100;
    assert.ok(aheadSeconds <= 2 + CHUNK_SECONDS, `${aheadSeconds} s`);
    if (frames.count > 1000) break;
  }
  assert.deepEqual([tone.active, usedSlots()], [0, 0]);
});

test('a body that is never read is closed with its request', withFfmpeg, async () => {
  const { speech, usedSlots } = openSpeech();
  const abort = new AbortController();
  await speech.speak({ ...REQUEST, text: 'x'.repeat(20_000) }, abort.signal);
  assert.equal(usedSlots(), 1);
  abort.abort();
  while (usedSlots() > 0) await new Promise((resolve) => setImmediate(resolve));
});
