import { z } from 'zod';
import { formatCsv } from '../../../domain/accounts/csv.ts';
import { formatUsd } from '../../../domain/accounts/ledger/money.ts';
import { USAGE_GROUPS, type UsageGroup, type UsageSum } from '../../../domain/accounts/ledger/usage.ts';
import { TimeInputSchema, TimestampSchema, toTimestamp, UsdSchema } from './money.ts';

/** The query of a usage route. `groups` are the allowed values of `by`. */
export function usageQuery(groups: readonly UsageGroup[]) {
  return z.object({
    from: TimeInputSchema.optional().describe('Start. Default: the first day of this month.'),
    to: TimeInputSchema.optional().describe('End, exclusive. Default: now.'),
    by: z
      .string()
      .meta({ pattern: `^ *(${groups.join('|')}) *(, *(${groups.join('|')}) *)*$` })
      .default('day,model')
      .transform((text, context) => {
        const names = text.split(',').map((part) => part.trim());
        const isKnown = names.every((part): part is UsageGroup => groups.includes(part as UsageGroup));
        if (isKnown) return names;
        context.addIssue({ code: 'custom', message: `by must be a list of ${groups.join(', ')}` });
        return z.NEVER;
      })
      .describe(`Grouping, a list of ${groups.join(', ')}. Services are always separate.`),
    format: z.enum(['json', 'csv']).default('json'),
  });
}

const UsageItemSchema = z
  .object({
    day: z.string().optional().describe('UTC.'),
    account: z.string().optional(),
    key: z.string().optional().describe('The id of the key.'),
    service: z.string().describe('`tts` in bytes, `asr` in seconds, `voice_design` in requests.'),
    model: z.string().optional(),
    voice: z.string().optional(),
    requests: z.int(),
    units: z.int().describe('Bytes of text, seconds of audio, or requests.'),
    cost: UsdSchema,
  })
  .meta({ id: 'UsageItem' });

export const UsageSchema = z
  .object({ from: TimestampSchema, to: TimestampSchema, items: z.array(UsageItemSchema), cost: UsdSchema })
  .meta({ id: 'Usage' });

/** The time range and the grouping of a query. Services are always separate. */
export function usageRange(
  query: { from?: number | undefined; to?: number | undefined; by: readonly UsageGroup[] },
  nowMs: number,
): { fromMs: number; toMs: number; by: UsageGroup[] } {
  const now = new Date(nowMs);
  return {
    fromMs: query.from ?? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1),
    // Includes the current millisecond.
    toMs: query.to ?? nowMs + 1,
    by: USAGE_GROUPS.filter((group) => group === 'service' || query.by.includes(group)),
  };
}

export function toUsageBody(
  sums: readonly UsageSum[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): z.output<typeof UsageSchema> {
  return {
    from: toTimestamp(fromMs),
    to: toTimestamp(toMs),
    items: sums.map(({ costNano, service = '', ...sum }) => ({ ...sum, service, cost: formatUsd(costNano) })),
    cost: formatUsd(sums.reduce((all, { costNano }) => all + costNano, 0)),
  };
}

export function toUsageCsv(sums: readonly UsageSum[], by: readonly UsageGroup[]): string {
  return formatCsv(
    [...by, 'requests', 'units', 'usd'],
    sums.map((sum) => [
      ...by.map((group) => sum[group] ?? ''),
      sum.requests,
      sum.units,
      formatUsd(sum.costNano),
    ]),
  );
}
