import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

/** Description of the machine; results of different machines are not comparable. */
export function describeMachine() {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    arch: process.arch,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    loadAverage: loadavg()[0] ?? 0,
  };
}
