import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningHeader } from './speech-request.ts';

test('warnings about values and about the text share one header', () => {
  assert.deepEqual(warningHeader({ temperature: 2, prosody: null }, ['text seems to be in es']), {
    'x-mynah-warning': 'temperature was clamped to 0..1; text seems to be in es',
  });
  assert.deepEqual(warningHeader({ temperature: 0.7, prosody: null }, []), {});
  assert.deepEqual(warningHeader({ temperature: 0.7, prosody: null }), {});
});
