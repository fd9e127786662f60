import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPUS_RATE_HZ, opusPackets } from '../../../test/support/audio/opus-packets.ts';
import { amplitudeAt, tone } from '../../../test/support/audio/signals.ts';
import { toPcm16Bytes } from '../../audio/encode/pcm16.ts';
import { joinSamples } from '../../audio/pcm.ts';
import { openLiveAudio } from './live-audio.ts';

const TONE_HZ = 440;

function toneAt(sampleRateHz: number): Float32Array {
  return tone({ frequencyHz: TONE_HZ, sampleRateHz, seconds: 1, amplitude: 0.5 });
}

for (const sampleRateHz of [8000, 16_000, 44_100, 48_000]) {
  for (const channels of [1, 2] as const) {
    test(`PCM at ${sampleRateHz} Hz with ${channels} channels, split at arbitrary bytes, becomes mono at 16 kHz`, async () => {
      const samples = toneAt(sampleRateHz);
      const interleaved = Float32Array.from(
        { length: samples.length * channels },
        (_, index) => samples[Math.floor(index / channels)]!,
      );
      const bytes = toPcm16Bytes(interleaved);
      const reader = await openLiveAudio({ encoding: 'pcm', sampleRateHz, channels });
      const parts: Float32Array[] = [];
      for (let at = 0; at < bytes.length; at += 1237) parts.push(reader.read(bytes.subarray(at, at + 1237)));
      const decoded = joinSamples(parts);
      assert.ok(Math.abs(decoded.length - 16_000) < 600, `${decoded.length}`);
      assert.ok(Math.abs(amplitudeAt(decoded.subarray(0, 15_000), TONE_HZ, 16_000) - 0.5) < 0.03);
    });
  }
}

for (const channels of [1, 2] as const) {
  test(`Opus packets of ${channels} channels become mono at 16 kHz, also when packets are lost`, async () => {
    const packets = await opusPackets(toneAt(OPUS_RATE_HZ), channels);
    const reader = await openLiveAudio({ encoding: 'opus', sampleRateHz: OPUS_RATE_HZ, channels });
    const lost = [20, 21];
    const parts = packets.map((packet, index) =>
      reader.read(lost.includes(index) ? new Uint8Array(0) : packet),
    );
    const decoded = joinSamples(parts);
    assert.equal(decoded.length, 16_000);
    assert.ok(Math.abs(amplitudeAt(decoded.subarray(1600, 6400), TONE_HZ, 16_000) - 0.5) < 0.05);
    assert.ok(amplitudeAt(parts[lost[0]!]!, TONE_HZ, 16_000) > 0.2, 'a lost packet is concealed');
    reader.close();
  });
}

test('a message that is not an Opus packet is rejected', async () => {
  const reader = await openLiveAudio({ encoding: 'opus', sampleRateHz: OPUS_RATE_HZ, channels: 1 });
  assert.throws(() => reader.read(Uint8Array.of(0xff, 0x00)), { code: 'invalid_audio' });
  reader.close();
});
