import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuUseOf, parseStat } from './cpu-use.ts';

test('CPU time and state are read from a stat line, whatever the name of the process', () => {
  const line = '42 (a) R (b) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 11 0 100 1 1';
  assert.deepEqual(parseStat(line), { state: 'S', cpuMs: 2000 });
});

test('a process without /proc has no CPU time and is not runnable', () => {
  const cpu = cpuUseOf(2 ** 30);
  assert.equal(cpu.cpuMs(), undefined);
  assert.equal(cpu.isRunnable(), false);
});

test('this process is runnable and has used CPU time', { skip: process.platform !== 'linux' }, () => {
  const cpu = cpuUseOf(process.pid);
  assert.ok((cpu.cpuMs() ?? 0) > 0);
  assert.equal(cpu.isRunnable(), true);
});
