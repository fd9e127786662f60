import { z } from 'zod';
import type { LedgerReport } from '../../../domain/accounts/ledger/ledger.ts';
import { formatUsd } from '../../../domain/accounts/ledger/money.ts';
import { UsdSchema } from './money.ts';

export const LedgerReportSchema = z
  .object({
    is_balanced: z.boolean(),
    accounts: z.int(),
    transfers: z.int(),
    open_holds: z.int(),
    charged: UsdSchema,
    problems: z.array(z.string()),
  })
  .meta({ id: 'LedgerReport' });

export function toLedgerReport(report: LedgerReport): z.output<typeof LedgerReportSchema> {
  const { accounts, transfers, openHolds, chargedNano, problems } = report;
  return {
    is_balanced: problems.length === 0,
    accounts,
    transfers,
    open_holds: openHolds,
    charged: formatUsd(Number(chargedNano)),
    problems: [...problems],
  };
}
