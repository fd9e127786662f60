import { FAULTS_HELP, measureFaults } from './measure-faults.ts';
import { MEMORY_HELP, measureMemory } from './measure-memory.ts';
import { measureScaling, SCALING_HELP } from './measure-scaling.ts';
import { measureUpgrade, UPGRADE_HELP } from './measure-upgrade.ts';

const HELP = [
  'Measures a cluster of processes on this machine, with PostgreSQL, NATS and an S3 server.\n',
  FAULTS_HELP,
  SCALING_HELP,
  UPGRADE_HELP,
  MEMORY_HELP,
].join('\n');

/** Runs `npm run measure-cluster` and returns the exit status. */
export async function main([part, ...args]: readonly string[]): Promise<number> {
  // An exit ends the processes of the cluster; a signal alone would leave them behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  switch (part) {
    case 'faults':
      return measureFaults(args);
    case 'scaling':
      return measureScaling(args);
    case 'upgrade':
      return measureUpgrade(args);
    case 'memory':
      return measureMemory(args);
    default:
      process.stdout.write(HELP);
      return part === '--help' || part === '-h' ? 0 : 2;
  }
}
