import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaptionError, type ParsedCaption } from '../captions/parse-captions.ts';
import { assertDubDuration } from './dub-duration.ts';

const limits = { silenceMaxSeconds: 600, dubSecondsPerByte: 1 };

function captions(...list: readonly (readonly [startSeconds: number, text: string])[]): ParsedCaption[] {
  return list.map(([startSeconds, text]) => ({
    startSeconds,
    endSeconds: startSeconds + 1,
    text,
    speaker: undefined,
  }));
}

function isAccepted(captions: readonly ParsedCaption[]): boolean {
  try {
    assertDubDuration(captions, limits);
    return true;
  } catch (error) {
    if (error instanceof CaptionError) return false;
    throw error;
  }
}

test('the last caption starts at most a second per byte of all captions after the free silence', () => {
  assert.ok(isAccepted(captions([601, 'a'])));
  assert.ok(!isAccepted(captions([601.001, 'a'])));
  assert.ok(isAccepted(captions([602, 'é'])), 'bytes of UTF-8');
  assert.ok(isAccepted(captions([0, 'Hello there.'], [613, 'a'])));
  assert.ok(!isAccepted(captions([0, 'Hello there.'], [614, 'a'])));
});
