import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Application, createEncoder } from 'libopus-wasm';
import { joinSamples } from '../audio/pcm.ts';
import { toPcm16Bytes } from '../audio/pcm16.ts';
import { amplitudeAt, tone } from '../audio/test-signals.ts';
import { openLiveAudio } from './live-audio.ts';

const TONE_HZ = 440;

function soundAt(sampleRateHz: number): Float32Array {
  return tone({ frequencyHz: TONE_HZ, sampleRateHz, seconds: 1, amplitude: 0.5 });
}

for (const sampleRateHz of [8000, 16_000, 44_100, 48_000]) {
  for (const channels of [1, 2] as const) {
    test(`PCM at ${sampleRateHz} Hz with ${channels} channels, cut anywhere, becomes mono at 16 kHz`, async () => {
      const samples = soundAt(sampleRateHz);
      const interleaved = Float32Array.from(
        { length: samples.length * channels },
        (_, index) => samples[Math.floor(index / channels)]!,
      );
      const bytes = toPcm16Bytes(interleaved);
      const reader = await openLiveAudio({ encoding: 'pcm', sampleRateHz, channels });
      const parts: Float32Array[] = [];
      for (let at = 0; at < bytes.length; at += 1237) parts.push(reader.read(bytes.subarray(at, at + 1237)));
      const heard = joinSamples(parts);
      assert.ok(Math.abs(heard.length - 16_000) < 600, `${heard.length}`);
      assert.ok(Math.abs(amplitudeAt(heard.subarray(0, 15_000), TONE_HZ, 16_000) - 0.5) < 0.03);
    });
  }
}

test('Opus packets become mono at 16 kHz, and what is none is refused', async () => {
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: 48_000,
    frameSize: 960,
    application: Application.Audio,
    bitrate: 64_000,
  });
  const samples = soundAt(48_000);
  const reader = await openLiveAudio({ encoding: 'opus', sampleRateHz: 48_000, channels: 1 });
  const parts: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += 960) {
    parts.push(reader.read(encoder.encodeFloat(samples.slice(at, at + 960)).slice()));
  }
  const heard = joinSamples(parts);
  assert.equal(heard.length, 16_000);
  assert.ok(Math.abs(amplitudeAt(heard.subarray(1600), TONE_HZ, 16_000) - 0.5) < 0.05);
  assert.throws(() => reader.read(Uint8Array.of(0xff, 0x00)), { code: 'invalid_audio' });
  reader.close();
});
