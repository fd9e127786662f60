import { useQuery } from '@tanstack/react-query';
import { mynah } from '../lib/api.ts';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Stat } from '../ui/layout.tsx';
import { QueryView } from '../ui/states.tsx';

export function LedgerSection() {
  const t = useTranslate();
  const report = useQuery({
    queryKey: ['ledger'],
    queryFn: ({ signal }) => mynah.admin.verifyLedger({ signal }),
    staleTime: 0,
  });
  return (
    <QueryView query={report}>
      {(ledger) => (
        <div className="space-y-4">
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
            <Stat label={t('Ledger')} value={ledger.is_balanced ? t('Balanced') : t('Not balanced')} />
            <Stat label={t('Transfers')} value={formatNumber(ledger.transfers)} />
            <Stat label={t('Open holds')} value={formatNumber(ledger.open_holds)} />
            <Stat label={t('Charged')} value={formatUsd(ledger.charged)} />
          </div>
          {ledger.problems.length > 0 && (
            <ul className="card list-disc p-5 ps-9 text-danger">
              {ledger.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          )}
          <Button isBusy={report.isFetching} onClick={() => void report.refetch()}>
            {t('Verify again')}
          </Button>
        </div>
      )}
    </QueryView>
  );
}
