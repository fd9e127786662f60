import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { file, integer, list, natsAddress } from '../setting-types.ts';

/** Several gateways and workers on one database. */
export const CLUSTER_SETTINGS = {
  role: {
    env: 'MYNAH_ROLE',
    schema: z.enum(['all', 'gateway']).default('all'),
    description:
      '`all`: the server synthesizes speech in worker processes of this machine. `gateway`: it uses the remote workers of MYNAH_NATS_URL; needs MYNAH_DATABASE_URL and MYNAH_FILES_URL too.',
  },
  natsUrl: {
    env: 'MYNAH_NATS_URL',
    schema: natsAddress().optional(),
    description:
      'Addresses of the NATS servers that connect gateways and workers, separated by commas: `nats://host:4222` or, with TLS, `tls://user:password@host:4222`.',
  },
  natsCredentials: {
    env: 'MYNAH_NATS_CREDENTIALS',
    schema: file().optional(),
    description: 'File with the credentials of this gateway or worker for NATS (JWT and seed).',
  },
  natsCa: {
    env: 'MYNAH_NATS_CA',
    schema: file().optional(),
    description: 'File with the certificate authority of the NATS servers (PEM). Requires TLS.',
  },
  natsCert: {
    env: 'MYNAH_NATS_CERT',
    schema: file().optional(),
    description: 'File with the client certificate for NATS (PEM). Requires TLS.',
  },
  natsKey: {
    env: 'MYNAH_NATS_KEY',
    schema: file().optional(),
    description: 'File with the key of MYNAH_NATS_CERT (PEM).',
  },
  workerId: {
    env: 'MYNAH_WORKER_ID',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens and underscores')
      .optional(),
    description:
      'Name of a `mynah worker` in the cluster, unique among its workers. The permissions of NATS refer to it. Not set: the host name and a random suffix.',
  },
  workerKinds: {
    env: 'MYNAH_WORKER_KINDS',
    schema: list(z.enum(['speech', 'transcription', 'cloning']), ['speech', 'transcription', 'cloning']),
    description:
      'Kinds of work of a `mynah worker`; also `--kinds`. A gateway transcribes and clones in its own worker processes while no worker offers it.',
  },
  workerSlots: {
    env: 'MYNAH_WORKER_SLOTS',
    schema: integer(1, 1024).default(32),
    description:
      'Maximum number of tasks of a `mynah worker` at the same time, per worker process. Above it the worker refuses and the gateway tries another.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
