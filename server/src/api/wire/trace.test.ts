import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceIdOf } from './trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const CASES = [
  [`00-${TRACE}-00f067aa0ba902b7-01`, true],
  [`01-${TRACE}-00f067aa0ba902b7-00-later`, true],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, false],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, false],
  ['nonsense', false],
  [undefined, false],
] as const;

for (const [traceparent, isAccepted] of CASES) {
  test(`traceparent ${traceparent} is ${isAccepted ? 'accepted' : 'replaced'}`, () => {
    const id = traceIdOf({ headers: { traceparent } });
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.equal(id === TRACE, isAccepted);
  });
}
