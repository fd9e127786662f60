import { z } from 'zod';

const ModelJobSchema = z
  .object({
    kind: z.enum(['pull', 'verify']),
    state: z.enum(['waiting', 'running', 'finished', 'failed']),
    received_bytes: z.int().optional().describe('During a download.'),
    total_bytes: z.int().optional(),
    problems: z.array(z.string()).describe('Damaged files that a verification has found and deleted.'),
    message: z.string().optional().describe('The reason of a failure.'),
  })
  .meta({ id: 'ModelJob' });

export const ManagedModelSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    task: z.enum(['tts', 'asr', 'lexicon']),
    languages: z.array(z.string()).describe('BCP 47 tags.'),
    licence: z.string(),
    is_default: z.boolean().describe('Whether it is installed at the first start.'),
    state: z
      .enum(['installed', 'incomplete', 'absent'])
      .describe('`incomplete`: partial, damaged or outdated; a pull completes it.'),
    size_bytes: z.int().nullable(),
    installed_at: z.string().nullable(),
    job: ModelJobSchema.nullable().describe('The last download or verification since the start.'),
  })
  .meta({ id: 'ManagedModel' });

/** A model of the catalogue, as administrators see it. */
export type ManagedModel = z.output<typeof ManagedModelSchema>;
export type ModelJob = z.output<typeof ModelJobSchema>;
