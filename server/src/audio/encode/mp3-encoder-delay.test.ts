import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noise, speechLike } from '../../../test/support/audio/signals.ts';
import { joinBytes } from '../bytes.ts';
import { Lame, type LameOptions } from './lame.ts';
import { Mp3EncoderDelayTrimmer } from './mp3-encoder-delay.ts';
import { MP3_MONO_OVERHEAD_BYTES, Mp3FrameSplitter, parseMp3Frame } from './mp3-frame.ts';

function lameFrames(samples: Float32Array, options: LameOptions): Uint8Array[] {
  const lame = new Lame(options);
  const splitter = new Mp3FrameSplitter();
  const frames = [...splitter.push(lame.encode(samples)), ...splitter.push(lame.finish())];
  lame.close();
  return frames;
}

/** The side information without `main_data_begin`, and the main data, of every frame. */
function contents(frames: readonly Uint8Array[]) {
  const stream = joinBytes(frames.map((frame) => frame.subarray(MP3_MONO_OVERHEAD_BYTES)));
  let areaStart = 0;
  return frames.map((frame) => {
    const { mainDataBegin, mainDataBytes } = parseMp3Frame(frame);
    const start = areaStart - mainDataBegin;
    areaStart += frame.length - MP3_MONO_OVERHEAD_BYTES;
    const sideInfo = frame.slice(4, MP3_MONO_OVERHEAD_BYTES);
    sideInfo[0] = 0;
    sideInfo[1] = (sideInfo[1] as number) & 0x7f;
    return { sideInfo, mainData: start < 0 ? undefined : stream.slice(start, start + mainDataBytes) };
  });
}

const SIGNALS: Readonly<Record<string, Float32Array>> = {
  speech: speechLike(30000, 44100),
  'digital silence': new Float32Array(30000),
  'noise at full level': noise(30000, 0.95),
  'silence, then noise': noise(30000, 0.9).fill(0, 0, 3000),
};

for (const [name, samples] of Object.entries(SIGNALS)) {
  test(`${name}: the second frame is replaced, and every later frame keeps its content`, () => {
    for (const bitrateKbps of [64, 128, 192] as const) {
      const full = lameFrames(samples, { sampleRateHz: 44100, bitrateKbps });
      const [first, second] = lameFrames(samples, { sampleRateHz: 44100, bitrateKbps: 40 });
      const lowBitrateFrames = [first as Uint8Array, second as Uint8Array] as const;
      const trimmer = new Mp3EncoderDelayTrimmer();
      const trimmed = [...full.flatMap((frame) => trimmer.push(frame, lowBitrateFrames)), ...trimmer.flush()];
      assert.equal(trimmed.length, full.length - 1);
      const [firstContent, ...laterContents] = contents(trimmed);
      assert.deepEqual(firstContent, contents(lowBitrateFrames)[1]);
      assert.deepEqual(laterContents, contents(full).slice(2));
    }
  });
}

test('the second frame requires its replacement', () => {
  const trimmer = new Mp3EncoderDelayTrimmer();
  const frame = Uint8Array.from({ length: 417 }, (_, i) => [0xff, 0xfb, 0x90, 0xc4][i] ?? 0);
  trimmer.push(frame);
  assert.throws(() => trimmer.push(frame), /needs its replacement/);
});
