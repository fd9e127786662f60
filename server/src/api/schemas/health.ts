import { z } from 'zod';

const ModelHealthSchema = z
  .object({
    id: z.string(),
    state: z.enum(['absent', 'loading', 'ready', 'failed']).describe('`loading` covers download and set-up.'),
    received_bytes: z.int().optional().describe('While it is downloaded.'),
    total_bytes: z.int().optional(),
    message: z.string().optional().describe('Why it failed.'),
  })
  .meta({ id: 'ModelHealth' });

const WorkerHealthSchema = z
  .object({
    id: z.string(),
    state: z.enum(['starting', 'ready', 'restarting', 'failed', 'stopped']),
    engines: z.array(z.string()).optional(),
    active: z.int().optional().describe('Requests it is speaking right now.'),
    restarts: z.int().optional(),
    memory_mb: z.number().optional(),
  })
  .meta({ id: 'WorkerHealth' });

export const HealthSchema = z
  .object({
    status: z
      .enum(['ok', 'loading', 'degraded'])
      .describe('`loading`: not ready yet. `degraded`: speaks, but a part is down.'),
    live: z.boolean().describe('The process answers.'),
    ready: z.boolean().describe('A request to speak would be served now.'),
    version: z.string(),
    models: z.array(ModelHealthSchema),
    workers: z.array(WorkerHealthSchema),
  })
  .meta({ id: 'Health' });

/** The state of the server, as `GET /v1/health` shows it. */
export type HealthReport = z.output<typeof HealthSchema>;
