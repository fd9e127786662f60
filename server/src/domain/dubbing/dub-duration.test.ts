import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../errors.ts';
import type { Cue } from '../captions/parse-captions.ts';
import { assertDubDuration } from './dub-duration.ts';

const limits = { silenceMaxSeconds: 600, dubSecondsPerByte: 1 };

function captions(...list: readonly (readonly [startSeconds: number, text: string])[]): Cue[] {
  return list.map(([startSeconds, text]) => ({
    startSeconds,
    endSeconds: startSeconds + 1,
    text,
    speaker: undefined,
  }));
}

/** The code of the error; undefined if the captions are accepted. */
function codeOf(cues: readonly Cue[]): string | undefined {
  try {
    assertDubDuration(cues, limits);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test('the last caption starts at most a second per byte of all captions after the free silence', () => {
  assert.equal(codeOf(captions([601, 'a'])), undefined);
  assert.equal(codeOf(captions([601.001, 'a'])), 'invalid_captions');
  assert.equal(codeOf(captions([602, 'é'])), undefined, 'bytes of UTF-8');
  assert.equal(codeOf(captions([0, 'Hello there.'], [613, 'a'])), undefined);
  assert.equal(codeOf(captions([0, 'Hello there.'], [614, 'a'])), 'invalid_captions');
});
