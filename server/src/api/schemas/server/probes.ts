import { z } from 'zod';
import { type HealthReport, ModelHealthSchema, withoutReasons } from './health.ts';

export const LivenessSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' });

const CheckSchema = z.enum(['ok', 'failed', 'loading']);

export const ReadinessSchema = z
  .object({
    ready: z.boolean().describe('A speech request would be served now.'),
    checks: z
      .object({
        database: CheckSchema.describe('The database can be read and written.'),
        workers: CheckSchema.describe('At least one speech worker process is ready.'),
        models: CheckSchema.describe('The models that were requested so far are installed.'),
      })
      .describe('`loading` ends without intervention, `failed` does not.'),
    models: z.array(ModelHealthSchema).describe('With the progress of downloads.'),
  })
  .meta({ id: 'Readiness' });

export type Readiness = z.output<typeof ReadinessSchema>;

/** The probe's view of the health report. */
export function toReadiness(health: HealthReport): Readiness {
  const { ready, models, database = 'ok' } = withoutReasons(health);
  return {
    ready,
    checks: {
      database: database === 'ok' ? 'ok' : 'failed',
      workers: health.workers.some(isReadySpeechWorker) ? 'ok' : 'loading',
      models: models.some(({ state }) => state === 'failed')
        ? 'failed'
        : models.every(({ state }) => state === 'ready')
          ? 'ok'
          : 'loading',
    },
    models,
  };
}

/** The workers of other kinds have a prefix in their id; they start with their first job. */
function isReadySpeechWorker({ id, state }: HealthReport['workers'][number]): boolean {
  return state === 'ready' && !/^(transcription|cloning)-/.test(id);
}
