import { openMachineMeasurements } from '../../compose/machine-measurements.ts';
import type { Config } from '../../config/config.ts';
import type { Finding } from './doctor-finding.ts';

/** Reports measurements (of the decoder for S2) that were made while other work used the cores. */
export async function examineMeasurements(config: Config): Promise<Finding> {
  const what = 'Measurements of this machine';
  const measurements = await openMachineMeasurements(config).list();
  if (measurements.length === 0) return { what, state: 'ok', found: 'none yet' };
  const busyCount = measurements.filter(({ wasBusy }) => wasBusy).length;
  if (busyCount === 0) return { what, state: 'ok', found: String(measurements.length) };
  return {
    what,
    state: 'warning',
    found: `${busyCount} of ${measurements.length} were made while the machine was busy`,
    fix: 'Stop other work, run mynah doctor --measure-again, and start the server again.',
  };
}
