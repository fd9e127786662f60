import { z } from 'zod';

export const ModelHealthSchema = z
  .object({
    id: z.string(),
    state: z
      .enum(['absent', 'loading', 'ready', 'failed'])
      .describe('`loading` includes download and preparation.'),
    received_bytes: z.int().optional().describe('During a download.'),
    total_bytes: z.int().optional(),
    message: z
      .string()
      .optional()
      .describe('The error of a failed model. The reason is shown to keys with the scope `admin`.'),
  })
  .meta({ id: 'ModelHealth' });

const WorkerHealthSchema = z
  .object({
    id: z.string(),
    state: z.enum(['starting', 'ready', 'restarting', 'failed', 'stopped']),
    engines: z.array(z.string()).optional(),
    active: z.int().optional().describe('Number of active requests.'),
    restarts: z.int().optional(),
    memory_mb: z.number().optional(),
  })
  .meta({ id: 'WorkerHealth' });

export const HealthSchema = z
  .object({
    status: z
      .enum(['ok', 'loading', 'degraded'])
      .describe(
        '`loading`: not ready yet. `degraded`: a component is down; `ready` tells whether requests are served.',
      ),
    live: z.boolean().describe('The process runs.'),
    ready: z.boolean().describe('A speech request would be served now.'),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']).optional().describe('Whether the database can be used.'),
    models: z.array(ModelHealthSchema),
    workers: z.array(WorkerHealthSchema),
  })
  .meta({ id: 'Health' });

/** The state of the server, as `GET /v1/health` shows it. */
export type HealthReport = z.output<typeof HealthSchema>;

/** The report without the reasons of failures, which contain folders and addresses of the operator. */
export function withoutReasons(report: HealthReport): HealthReport {
  const models = report.models.map((model) =>
    model.message === undefined
      ? model
      : { ...model, message: 'The model cannot be installed. The log of the server has the reason.' },
  );
  return { ...report, models };
}
