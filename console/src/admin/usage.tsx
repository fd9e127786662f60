import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { mynah } from '../lib/api.ts';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { ACCOUNTS_KEY } from '../lib/query-keys.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Select } from '../ui/field.tsx';
import { Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { unitsOf } from '../usage/units.ts';

const UsageChart = lazy(() =>
  import('../usage/usage-chart.tsx').then(({ UsageChart }) => ({ default: UsageChart })),
);
const DAYS = 30;
const DAY_MS = 86_400_000;
const ALL = '';

/** Usage of all accounts, or of one. */
export function AdminUsageSection() {
  const t = useTranslate();
  const [accountId, setAccountId] = useState(ALL);
  const from = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const filter = accountId === ALL ? {} : { account_id: accountId };
  const accounts = useQuery({
    queryKey: ACCOUNTS_KEY,
    queryFn: ({ signal }) => mynah.admin.listAccounts({ signal }),
  });
  const daily = useQuery({
    queryKey: ['admin', 'usage', from, 'day', accountId],
    queryFn: ({ signal }) => mynah.admin.getUsage({ from, by: 'day', ...filter }, { signal }),
  });
  const byAccount = useQuery({
    queryKey: ['admin', 'usage', from, 'account', accountId],
    queryFn: ({ signal }) => mynah.admin.getUsage({ from, by: 'account', ...filter }, { signal }),
  });
  const nameOf = (id: string | undefined) => accounts.data?.find((account) => account.id === id)?.name ?? id;
  return (
    <div className="space-y-6">
      <div className="max-w-xs">
        <Select
          label={t('Account')}
          value={accountId}
          onChange={setAccountId}
          options={[
            { value: ALL, label: t('All accounts') },
            ...(accounts.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </div>
      <section className="card p-5">
        <h2 className="mb-3 font-semibold">{t('Requests per day')}</h2>
        <QueryView query={daily}>
          {({ items }) => (
            <Suspense fallback={<div className="skeleton h-50" />}>
              <UsageChart items={items} fromDay={from} days={DAYS} />
            </Suspense>
          )}
        </QueryView>
      </section>
      <QueryView query={byAccount}>
        {({ items }) =>
          items.length === 0 ? (
            <div className="card">
              <EmptyState icon="chart" title={t('No usage in this period')} />
            </div>
          ) : (
            <Table
              label={t('Usage')}
              head={[t('Account'), t('Service'), t('Requests'), t('Amount'), t('Cost')]}
            >
              {items.map((item) => (
                <tr key={`${item.account} ${item.service}`} className="tr-row">
                  <td className="font-medium">{nameOf(item.account)}</td>
                  <td>{item.service}</td>
                  <td className="tabular-nums">{formatNumber(item.requests)}</td>
                  <td className="tabular-nums">{unitsOf(item, t)}</td>
                  <td className="tabular-nums">{formatUsd(item.cost)}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryView>
    </div>
  );
}
