import { z } from 'zod';
import { TimestampSchema } from '../accounts/money.ts';

const count = z.int().min(0);

const GatewaySchema = z
  .object({
    id: z.string(),
    host: z.string(),
    version: z.string(),
    started_at: TimestampSchema,
    is_self: z.boolean().describe('The server that responds.'),
  })
  .meta({ id: 'GatewayNode' });

const WorkerNodeSchema = z
  .object({
    id: z.string(),
    version: z.string(),
    state: z.enum(['ready', 'draining', 'incompatible']),
    work: z.array(
      z.object({ kind: z.string(), slots: count, open_tasks: count, engines: z.array(z.string()) }),
    ),
  })
  .meta({ id: 'WorkerNode' });

export const ServerStatusSchema = z
  .object({
    load: z.object({
      streams: count.describe('Speech streams that are open.'),
      utilisation: z.number().describe('Utilisation of the speech workers, 0 to 1.'),
      transcriptions: count.describe('Transcriptions that are running.'),
    }),
    queues: z.object({
      capacity: count.describe('Speech requests that wait for capacity of the workers.'),
      first_audio: count.describe('Speech requests that wait for their first audio.'),
      admission: count.describe('Requests that wait for a slot of their account.'),
    }),
    gateways: z.array(GatewaySchema).describe('Servers on the same PostgreSQL database; empty with SQLite.'),
    workers: z.array(WorkerNodeSchema).describe('Remote workers whose heartbeats reach this server.'),
  })
  .meta({ id: 'ServerStatus' });

/** Load, queues and nodes of the cluster. */
export type ServerStatus = z.output<typeof ServerStatusSchema>;
