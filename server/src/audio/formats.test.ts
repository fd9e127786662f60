import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUDIO_FORMATS, defaultSampleRateHz, FORMATS, supportsSampleRate } from './formats.ts';

test('each format has the documented content type and default sample rate', () => {
  const documented = {
    mp3: ['audio/mpeg', 44100],
    wav: ['audio/wav', 44100],
    pcm: ['audio/pcm', 44100],
    opus: ['audio/ogg', 48000],
    flac: ['audio/flac', 44100],
  } as const;
  for (const format of AUDIO_FORMATS) {
    assert.deepEqual([FORMATS[format].contentType, defaultSampleRateHz(format)], documented[format]);
  }
});

test('only the rates of our API and of clients of other services are supported', () => {
  assert.equal(supportsSampleRate('mp3', 32000), true);
  assert.equal(supportsSampleRate('mp3', 24000), true);
  assert.equal(FORMATS.mp3.sampleRatesHz.includes(24000), false);
  assert.equal(supportsSampleRate('mp3', 16000), false);
  assert.equal(supportsSampleRate('ulaw', 8000), true);
  assert.equal(supportsSampleRate('wav', 8000), true);
  assert.equal(supportsSampleRate('wav', 11025), false);
  assert.equal(supportsSampleRate('opus', 44100), false);
  assert.equal(supportsSampleRate('flac', 48000), true);
});
