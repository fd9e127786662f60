import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredType } from './accept.ts';

const CASES = [
  [undefined, 'text/event-stream'],
  ['*/*', 'text/event-stream'],
  ['text/vtt', 'text/vtt'],
  ['Text/VTT; charset=utf-8', 'text/vtt'],
  ['application/x-subrip, text/vtt', 'application/x-subrip'],
  ['application/x-subrip;q=0.5, text/vtt;q=0.8', 'text/vtt'],
  ['text/vtt;q=0', 'text/event-stream'],
  ['image/png', 'text/event-stream'],
] as const;

for (const [header, expected] of CASES) {
  test(`Accept: ${header} selects ${expected}`, () => {
    assert.equal(preferredType(header, ['text/event-stream', 'text/vtt', 'application/x-subrip']), expected);
  });
}
