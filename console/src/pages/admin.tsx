import { useNavigate, useParams } from '@tanstack/react-router';
import type { ConsoleState } from 'mynah';
import { AccountsSection } from '../admin/accounts.tsx';
import { AuditSection } from '../admin/audit.tsx';
import { HealthSection } from '../admin/health.tsx';
import { LedgerSection } from '../admin/ledger.tsx';
import { ModelsSection } from '../admin/models.tsx';
import { PricesSection } from '../admin/prices.tsx';
import { AdminUsageSection } from '../admin/usage.tsx';
import { hasScope, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { PageHeader } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';

export function AdminPage() {
  const t = useTranslate();
  const state = useConsole();
  return (
    <>
      <PageHeader
        title={t('Administration')}
        text={t('Accounts, credit, prices, and the state of the server.')}
      />
      <QueryView query={state}>
        {(data) =>
          hasScope(data, 'admin') ? (
            <Sections state={data} />
          ) : (
            <div className="card">
              <EmptyState icon="gear" title={t('Your key does not have the scope for this.')} />
            </div>
          )
        }
      </QueryView>
    </>
  );
}

function Sections({ state }: { readonly state: ConsoleState }) {
  const t = useTranslate();
  const navigate = useNavigate();
  const { section = 'accounts' } = useParams({ strict: false });
  const tabs = [
    { id: 'accounts', label: t('Accounts'), content: <AccountsSection /> },
    { id: 'health', label: t('Health'), content: <HealthSection /> },
    { id: 'models', label: t('Models'), content: <ModelsSection /> },
    { id: 'usage', label: t('Usage'), content: <AdminUsageSection /> },
    { id: 'prices', label: t('Prices'), content: <PricesSection state={state} /> },
    { id: 'ledger', label: t('Ledger'), content: <LedgerSection /> },
    { id: 'audit', label: t('Audit log'), content: <AuditSection /> },
  ];
  return (
    <>
      <Tabs
        label={t('Administration')}
        value={section}
        onChange={(id) => void navigate({ to: '/admin/$section', params: { section: id } })}
        tabs={tabs}
      />
      {!tabs.some(({ id }) => id === section) && (
        <div className="card">
          <EmptyState icon="search" title={t('This page does not exist')} />
        </div>
      )}
    </>
  );
}
