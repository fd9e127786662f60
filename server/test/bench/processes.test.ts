import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  childrenOf,
  cpuSecondsOf,
  parseMachineTicks,
  parseResidentBytes,
  parseSchedstat,
  parseScheduling,
  parseStat,
  residentBytesOf,
} from '../../bench/processes/processes.ts';

test('a stat line is parsed for any program name', () => {
  const rest = 'S 41 42 42 0 -1 4194304 900 0 3 0 150 25 0 0 20 0 11 0 88 99 100';
  for (const name of ['node', 'tmux: server', 'a) S 1 (b']) {
    assert.deepEqual(parseStat(`42 (${name}) ${rest}`), { parentPid: 41, cpuSeconds: 1.75 });
  }
});

test('the CPU time of a thread has nanosecond resolution', () => {
  assert.equal(parseSchedstat('1750000001 99 12\n'), 1.750000001);
  assert.ok(Number.isNaN(parseSchedstat('')));
});

test('the two CPU clocks of a process agree', () => {
  const { user, system } = process.cpuUsage();
  assert.ok(Math.abs(cpuSecondsOf(process.pid) - (user + system) / 1e6) < 0.5);
});

test('resident memory is parsed in bytes', () => {
  assert.equal(parseResidentBytes('VmPeak:\t  900 kB\nVmRSS:\t   123 kB\nRssAnon:\t 7 kB\n'), 123 * 1024);
  assert.ok(Number.isNaN(parseResidentBytes('Name:\tkthreadd\n')));
});

test('a running process and its child are found', async () => {
  const child = spawn('sleep', ['30']);
  await once(child, 'spawn');
  assert.ok(childrenOf(process.pid).includes(child.pid!));
  assert.ok(cpuSecondsOf(process.pid) > 0);
  assert.ok(residentBytesOf(process.pid) > 1_000_000);
  child.kill();
  await once(child, 'exit');
  assert.ok(!childrenOf(process.pid).includes(child.pid!));
});

test('CPU time and waiting time of a thread, and idle and stolen time of the machine', () => {
  assert.deepEqual(parseScheduling('6808000000 143477000000 12436\n'), { cpuMs: 6808, waitingMs: 143_477 });
  assert.deepEqual(parseMachineTicks('cpu  10 20 30 40 5 0 1 50 7 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n'), {
    total: 156,
    idle: 45,
    stolen: 50,
  });
});
