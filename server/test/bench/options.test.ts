import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS, parseOptions, UsageError } from '../../bench/options.ts';
import { atLeast, atMost, renderTable } from '../../bench/report.ts';

test('everything is measured unless parts are named', () => {
  assert.deepEqual(parseOptions([]), {
    parts: PARTS,
    isQuick: false,
    jsonPath: undefined,
    recordings: undefined,
    normalizer: undefined,
    minutes: 10,
    wantsHelp: false,
  });
});

test('named parts are measured in the usual order', () => {
  assert.deepEqual(parseOptions(['--quick', '--only', 'memory, cpu']).parts, ['cpu', 'memory']);
});

test('an unknown part or option is refused in a sentence that names it', () => {
  assert.throws(
    () => parseOptions(['--only', 'cpu,disk']),
    new UsageError(`There is no part “disk”. There are: ${PARTS.join(', ')}.`),
  );
  assert.throws(() => parseOptions(['--fast']), /--fast/);
  assert.throws(() => parseOptions(['--minutes', 'many']), /many/);
});

test('the table says which targets were met', () => {
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
