import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodedFile } from '../../../../test/support/audio/encoded-files.ts';
import { noise, tone } from '../../../../test/support/audio/signals.ts';
import { synthesizeTalk } from '../../../../test/support/voices/synthetic-talk.ts';
import { encodeWavFile } from '../../../audio/encode/wav.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { CLIP_VERDICTS, type ClipVerdict, describeVerdicts } from './clip-verdict.ts';
import { readClip } from './read-clip.ts';
import { MemoryAudio } from './stored-audio.ts';

const RATE = 24000;
const OPTIONS = { sampleRateHz: RATE, speechMinSeconds: 0.5 };
const silence = (seconds: number) => new Float32Array(Math.round(seconds * RATE));
const fileOf = (bytes: Uint8Array) => new MemoryAudio(bytes).read();
const judged = (samples: Float32Array) =>
  readClip(fileOf(encodeWavFile({ samples, sampleRateHz: RATE })), OPTIONS);
const withNoise = (samples: Float32Array, amplitude: number) => {
  const hiss = noise(samples.length, amplitude);
  return samples.map((sample, i) => sample + (hiss[i] as number));
};
/** Synthesized when first used, once. */
const once = (make: () => Float32Array) => {
  let made: Float32Array | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
const male = once(() => synthesizeTalk({ seconds: 12, pitchHz: 110, tractLength: 1 }));
const female = once(() => synthesizeTalk({ seconds: 12, pitchHz: 215, tractLength: 0.82, seed: 7 }));

function chords(seconds: number): Float32Array {
  const parts = [220, 262, 196, 294].map((root) =>
    [1, 1.25, 1.5, 2, 3]
      .map((ratio) =>
        tone({ frequencyHz: root * ratio, sampleRateHz: RATE, seconds: seconds / 4, amplitude: 0.08 }),
      )
      .reduce((sum, part) => sum.map((sample, i) => sample + (part[i] as number))),
  );
  return joinSamples(parts);
}

const CASES: readonly (readonly [string, () => Float32Array, ClipVerdict | undefined])[] = [
  ['a clean clip', male, undefined],
  ['another voice', female, undefined],
  ['a very quiet clip', () => male().map((sample) => sample / 50), undefined],
  ['a noisy clip', () => withNoise(male(), 0.12), 'too_noisy'],
  ['a clip with some noise', () => withNoise(male(), 0.015), 'noisy'],
  ['a clipped clip', () => male().map((sample) => Math.max(-0.8, Math.min(0.8, 12 * sample))), 'clipped'],
  ['music', () => chords(12), 'music'],
  ['two speakers', () => joinSamples([male(), female()]), 'several_speakers'],
  [
    'two seconds of speech',
    () => joinSamples([silence(3), synthesizeTalk({ seconds: 2 }), silence(3)]),
    'too_short',
  ],
  [
    'a third of a second of speech',
    () => joinSamples([silence(3), synthesizeTalk({ seconds: 0.35 }), silence(3)]),
    'too_little_speech',
  ],
  ['five seconds of speech', () => synthesizeTalk({ seconds: 5 }), 'short'],
  ['silence', () => silence(10), 'silence'],
  ['white noise', () => noise(10 * RATE, 0.3), 'silence'],
];
for (const [name, samples, expected] of CASES) {
  test(`${name} is judged ${expected ?? 'without problems'}`, async () => {
    const { verdicts, isPassed, measures } = await judged(samples());
    assert.equal(verdicts[0], expected, JSON.stringify({ verdicts, measures }));
    assert.equal(isPassed, expected === undefined || !CLIP_VERDICTS[expected].isRefused);
  });
}

test('silence is removed, and the level is normalized', async () => {
  const quiet = synthesizeTalk({ seconds: 6 }).map((sample) => 0.1 * sample);
  const { speechSamples, durationSeconds } = await judged(
    joinSamples([silence(2), quiet, silence(4), quiet, silence(2)]),
  );
  assert.equal(Math.round(durationSeconds), 20);
  assert.ok(
    speechSamples.length / RATE > 8 && speechSamples.length / RATE < 13,
    `${speechSamples.length / RATE} s`,
  );
  const level = Math.sqrt(
    speechSamples.reduce((sum, sample) => sum + sample * sample, 0) / speechSamples.length,
  );
  assert.ok(level > 0.05 && level < 0.09, `${level}`);
});

test('of a long recording, the minute with the most speech is used', async () => {
  const minute = (share: number) =>
    joinSamples([synthesizeTalk({ seconds: 60 * share }), silence(60 * (1 - share))]);
  const samples = joinSamples([minute(0.05), minute(0.1), minute(0.95), minute(0.05)]);
  const clip = await judged(samples);
  assert.equal(clip.verdicts.at(-1), 'long');
  assert.ok(clip.isPassed);
  assert.ok(
    clip.speechSamples.length / RATE > 35 && clip.speechSamples.length / RATE <= 61,
    `${clip.speechSamples.length / RATE} s`,
  );
});

test('a telephone recording gets the verdict narrow_band', async () => {
  const samples = synthesizeTalk({ seconds: 8, sampleRateHz: 8000 });
  const clip = await readClip(fileOf(encodeWavFile({ samples, sampleRateHz: 8000 })), OPTIONS);
  assert.ok(clip.verdicts.includes('narrow_band'), JSON.stringify(clip.measures));
});

test('a text file is refused as invalid_audio', async () => {
  await assert.rejects(readClip(fileOf(Buffer.from('Dear diary, this is not audio.')), OPTIONS), {
    code: 'invalid_audio',
  });
});

test('compressed clips are judged like uncompressed ones', async () => {
  const file = await encodedFile('opus', synthesizeTalk({ seconds: 8, sampleRateHz: 48000 }), 48000);
  const clip = await readClip(fileOf(file), OPTIONS);
  assert.ok(clip.isPassed, describeVerdicts(clip));
});
