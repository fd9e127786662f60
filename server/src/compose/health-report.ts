import type { HealthReport } from '../api/schemas/server/health.ts';
import type { EngineModelStatus } from '../inference/runtime/process/engine-models.ts';
import type { WorkerState, WorkerStatus } from '../inference/runtime/process/supervisor.ts';

/** The models in the format of the health report. */
export function describeModels(models: readonly EngineModelStatus[]): HealthReport['models'] {
  return models.map((model) => ({
    id: model.id,
    state: model.state,
    ...(model.doneBytes !== undefined && { received_bytes: model.doneBytes }),
    ...(model.totalBytes !== undefined && { total_bytes: model.totalBytes }),
    ...(model.message !== undefined && { message: model.message }),
  }));
}

/** Worker processes in the format of the health report. `prefix` distinguishes their kinds. */
export function describeWorkers(workers: readonly WorkerStatus[], prefix = ''): HealthReport['workers'] {
  return workers.map((worker, index) => ({
    id: `${prefix}${index}`,
    state: HEALTH_STATES[worker.state],
    engines: [...worker.engines],
    active: worker.pendingRequests,
    restarts: worker.restarts,
    ...(worker.memoryBytes !== undefined && { memory_mb: Math.round(worker.memoryBytes / 2 ** 20) }),
  }));
}

const HEALTH_STATES: Readonly<Record<WorkerState, HealthReport['workers'][number]['state']>> = {
  starting: 'starting',
  ready: 'ready',
  draining: 'ready',
  waiting: 'restarting',
  stopped: 'stopped',
};
