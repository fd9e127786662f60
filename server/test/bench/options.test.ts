import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS, parseOptions, UsageError } from '../../bench/options.ts';
import { atLeast, atMost, renderTable } from '../../bench/report.ts';

test('all parts run by default, except the comparison with other projects', () => {
  assert.deepEqual(parseOptions([]), {
    parts: PARTS.filter((part) => part !== 'peers'),
    isQuick: false,
    jsonPath: undefined,
    recordings: undefined,
    normalizer: undefined,
    minutes: 10,
    wantsHelp: false,
  });
});

test('the comparison with other projects runs alone when it is named', () => {
  assert.deepEqual(parseOptions(['--peers']).parts, ['peers']);
  assert.deepEqual(parseOptions(['--only', 'peers']).parts, ['peers']);
});

test('named parts run in the fixed order', () => {
  assert.deepEqual(parseOptions(['--quick', '--only', 'memory, cpu']).parts, ['cpu', 'memory']);
});

test('an unknown part or option is rejected with its name', () => {
  assert.throws(
    () => parseOptions(['--only', 'cpu,disk']),
    (error) => error instanceof UsageError && error.message.includes('disk'),
  );
  assert.throws(() => parseOptions(['--fast']), /--fast/);
  assert.throws(() => parseOptions(['--minutes', 'many']), /many/);
});

test('the table shows which targets were met', () => {
  const table = renderTable([
    { what: 'a', value: '1', target: atMost(1, 2, ' ms') },
    { what: 'b', value: '3', target: atLeast(3, 4) },
    { what: 'c', value: '5' },
  ]);
  assert.deepEqual(table.split('\n'), [
    'measure  value  target        met',
    'a        1      at most 2 ms  yes',
    'b        3      at least 4    NO',
    'c        5',
    '',
  ]);
});

test('the former name of a part is accepted', () => {
  assert.deepEqual(parseOptions(['--only', 'hearing']).parts, ['transcription']);
});
