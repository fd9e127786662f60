import assert from 'node:assert/strict';
import { test } from 'node:test';
import { synthesizeTalk } from '../../../../test/support/voices/synthetic-talk.ts';
import { encodeWavFile } from '../../../audio/encode/wav.ts';
import { readRecordings } from './read-recordings.ts';

const RATE = 16_000;
const LIMITS = { sampleRateHz: RATE, speechMinSeconds: 1, maxSeconds: 30, ffmpegPath: '' };
const signal = new AbortController().signal;
const talk = (seconds: number) => ({
  kind: 'bytes' as const,
  bytes: encodeWavFile({ samples: synthesizeTalk({ seconds, sampleRateHz: RATE }), sampleRateHz: RATE }),
});

test('the limit of the total duration applies to all recordings together', async () => {
  const sources = [talk(4), talk(4), talk(4)];
  assert.equal((await readRecordings({ ...LIMITS, sources }, { signal })).length, 3);
  const limited = { ...LIMITS, totalMaxSeconds: 12 };
  assert.equal((await readRecordings({ ...limited, sources }, { signal })).length, 3);
  await assert.rejects(readRecordings({ ...limited, sources, totalMaxSeconds: 11 }, { signal }), {
    code: 'audio_too_long',
  });
});

test('a recording above its own limit is rejected', async () => {
  await assert.rejects(readRecordings({ ...LIMITS, sources: [talk(4)], maxSeconds: 3 }, { signal }), {
    code: 'audio_too_long',
  });
});
