import { useQuery } from '@tanstack/react-query';
import type { UsageItem } from 'mynah';
import { lazy, Suspense, useState } from 'react';
import { download } from '../audio/wav.ts';
import { mynah } from '../lib/api.ts';
import { formatNumber, formatUsd } from '../lib/format.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { PageHeader, Stat, Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { unitsOf } from '../usage/units.ts';

const UsageChart = lazy(() =>
  import('../usage/usage-chart.tsx').then(({ UsageChart }) => ({ default: UsageChart })),
);

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90] as const;

export function UsagePage() {
  const t = useTranslate();
  const { data: state } = useConsole();
  const [days, setDays] = useState(30);
  const [group, setGroup] = useState('model');
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const daily = useQuery({
    queryKey: ['usage', from, 'day'],
    queryFn: ({ signal }) => mynah.account.getUsage({ from, by: 'day' }, { signal }),
  });
  const grouped = useQuery({
    queryKey: ['usage', from, group],
    queryFn: ({ signal }) => mynah.account.getUsage({ from, by: group }, { signal }),
  });
  const credit = useQuery({
    queryKey: ['credit'],
    queryFn: ({ signal }) => mynah.account.getCredit({ signal }),
  });
  const isPrepaid = state?.billing === 'prepaid';
  const month = new Date().toISOString().slice(0, 7);
  const saveStatement = async () =>
    download(
      new Blob([await mynah.account.getStatement(month, 'csv')], { type: 'text/csv' }),
      `mynah-${month}.csv`,
    );
  const sum = (service: string) =>
    daily.data?.items.filter((item) => item.service === service).reduce((all, { units }) => all + units, 0) ??
    0;
  return (
    <>
      <PageHeader
        title={t('Usage and wallet')}
        text={t('What was spoken and transcribed, and what it cost.')}
      >
        <Select
          label={t('Period')}
          isLabelHidden
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          options={PERIODS.map((count) => ({
            value: String(count),
            label: t('Last {count} days', { count }),
          }))}
        />
        <Button icon="download" onClick={() => void saveStatement()}>
          {t('Statement of this month')}
        </Button>
      </PageHeader>
      <div className="mb-6 grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Stat
          label={t('Credit')}
          value={isPrepaid ? formatUsd(credit.data?.credit ?? 0) : t('Unlimited')}
          {...(!isPrepaid && { hint: t('Billing is off on this server.') })}
        />
        <Stat label={t('Cost')} value={formatUsd(daily.data?.cost ?? 0)} />
        <Stat label={t('Bytes of text spoken')} value={formatNumber(sum('tts'))} />
        <Stat label={t('Seconds transcribed')} value={formatNumber(sum('asr'))} />
      </div>
      <section className="card mb-6 p-5">
        <h2 className="mb-3 font-semibold">{t('Requests per day')}</h2>
        <QueryView query={daily}>
          {({ items }) => (
            <Suspense fallback={<div className="skeleton h-50" />}>
              <UsageChart items={items} fromDay={from} days={days} />
            </Suspense>
          )}
        </QueryView>
      </section>
      <div className="mb-3 flex items-end justify-between gap-4">
        <h2 className="text-lg font-semibold">{t('Details')}</h2>
        <Select
          label={t('Group by')}
          isLabelHidden
          value={group}
          onChange={setGroup}
          options={[
            { value: 'model', label: t('By model') },
            { value: 'voice', label: t('By voice') },
            { value: 'key', label: t('By key') },
            { value: 'day', label: t('By day') },
          ]}
        />
      </div>
      <QueryView query={grouped}>
        {({ items }) =>
          items.length === 0 ? (
            <div className="card">
              <EmptyState icon="chart" title={t('No usage in this period')}>
                {t('Speak something in the playground, and it appears here.')}
              </EmptyState>
            </div>
          ) : (
            <UsageTable items={items} />
          )
        }
      </QueryView>
    </>
  );
}

function UsageTable({ items }: { readonly items: readonly UsageItem[] }) {
  const t = useTranslate();
  return (
    <Table label={t('Details')} head={[t('Name'), t('Service'), t('Requests'), t('Amount'), t('Cost')]}>
      {items.map((item) => {
        const name = item.model ?? item.voice ?? item.key ?? item.day ?? '';
        return (
          <tr key={`${item.service} ${name}`} className="tr-row">
            <td className="font-medium break-all">{name || '–'}</td>
            <td>{item.service}</td>
            <td className="tabular-nums">{formatNumber(item.requests)}</td>
            <td className="whitespace-nowrap tabular-nums">{unitsOf(item, t)}</td>
            <td className="tabular-nums">{formatUsd(item.cost)}</td>
          </tr>
        );
      })}
    </Table>
  );
}
