import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFfmpeg } from '../../../test/support/audio/ffmpeg.ts';
import { ToneSpeech } from '../../../test/support/workers/tone-speech.ts';
import { ServerFfmpegSlots } from '../../inference/runtime/process/ffmpeg-slots.ts';
import { openAacSpeech } from './aac-speech.ts';
import { DEFAULT_SPEECH_REQUEST } from './speech-runtime.ts';

// CI has FFmpeg.
const withFfmpeg = { skip: !hasFfmpeg && 'FFmpeg is not installed' };

test(
  'AAC streams whose clients do not read use at most half of the FFmpeg processes',
  withFfmpeg,
  async () => {
    const ffmpegSlots = new ServerFfmpegSlots(2);
    const config = { ffmpegMax: 2, ffmpegPath: 'ffmpeg', queueSeconds: 0 };
    const speech = openAacSpeech(config, { speech: new ToneSpeech(), ffmpegSlots });
    const client = new AbortController();
    const request = { ...DEFAULT_SPEECH_REQUEST, format: 'aac', text: 'x'.repeat(20_000) } as const;
    await speech.speak({ ...request, accountId: 'ada' }, client.signal);
    await assert.rejects(speech.speak({ ...request, accountId: 'eve' }, client.signal), {
      code: 'queue_full',
    });
    assert.equal(ffmpegSlots.used, 1);
    client.abort();
    while (ffmpegSlots.used > 0) await new Promise((resolve) => setImmediate(resolve));
  },
);
