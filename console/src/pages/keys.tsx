import { useMutation, useQuery } from '@tanstack/react-query';
import type { AdminKey, ConsoleState, CreatedKey } from 'mynah';
import { useState } from 'react';
import { type KeySource, keysOfAccount, ownKeys } from '../keys/key-source.ts';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import { ShownKeyDialog } from '../keys/shown-key-dialog.tsx';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDate, formatDay, formatUsd } from '../lib/format.ts';
import { ACCOUNTS_KEY } from '../lib/query-keys.ts';
import { hasScope, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { Badge, PageHeader, Table } from '../ui/layout.tsx';
import { EmptyState, ErrorState, QueryView } from '../ui/states.tsx';

export function KeysPage() {
  const t = useTranslate();
  const state = useConsole();
  return (
    <QueryView query={state} title={t('API keys')}>
      {(data) => {
        if (hasScope(data, 'admin')) return <AllKeys state={data} />;
        if (hasScope(data, 'keys:write')) return <KeyList state={data} source={ownKeys(data.key.scopes)} />;
        return (
          <>
            <PageHeader title={t('API keys')} />
            <div className="card">
              <EmptyState icon="key" title={t('Keys are managed by the administrator')}>
                {t('Your key needs the scope keys:write to create and revoke keys.')}
              </EmptyState>
            </div>
          </>
        );
      }}
    </QueryView>
  );
}

/** The keys of an account that the administrator chooses. */
function AllKeys({ state }: { readonly state: ConsoleState }) {
  const t = useTranslate();
  const [accountId, setAccountId] = useState(state.account.id);
  const accounts = useQuery({
    queryKey: ACCOUNTS_KEY,
    queryFn: ({ signal }) => mynah.admin.listAccounts({ signal }),
  });
  const active = accounts.data?.filter(({ deleted_at }) => deleted_at === null) ?? [];
  return (
    <KeyList key={accountId} state={state} source={keysOfAccount(accountId)}>
      {active.length > 1 && (
        <Select
          label={t('Account')}
          isLabelHidden
          value={accountId}
          onChange={setAccountId}
          options={active.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </KeyList>
  );
}

function nameOf(key: AdminKey | undefined): string {
  return key === undefined ? '' : key.name || key.prefix;
}

function isExpired({ expires_at }: AdminKey): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

interface PendingAction {
  readonly key: AdminKey;
  readonly action: 'rotate' | 'revoke';
}

function KeyList({
  state,
  source,
  children,
}: {
  readonly state: ConsoleState;
  readonly source: KeySource;
  readonly children?: React.ReactNode;
}) {
  const t = useTranslate();
  const { queryKey } = source;
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => source.list(signal) });
  const [isCreating, setIsCreating] = useState(false);
  const [shown, setShown] = useState<CreatedKey>();
  const [pending, setPending] = useState<PendingAction>();
  const refresh = () => queryClient.invalidateQueries({ queryKey });
  const apply = useMutation({
    mutationFn: async ({ key, action }: PendingAction) => {
      if (action === 'rotate') setShown(await source.rotate(key.id));
      else await source.revoke(key.id);
    },
    onSuccess: refresh,
    onSettled: () => setPending(undefined),
  });
  return (
    <>
      <PageHeader
        title={t('API keys')}
        text={t('A key is shown once, when it is made. Only its hash is stored.')}
      >
        {children}
        <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('New key')}
        </Button>
      </PageHeader>
      {apply.error && (
        <div className="mb-4">
          <ErrorState error={apply.error} />
        </div>
      )}
      <QueryView query={keys}>
        {(list) => (
          <Table
            label={t('API keys')}
            head={[t('Name'), t('Key'), t('Scopes'), t('Limits'), t('Last used'), '']}
          >
            {[...list].reverse().map((key) => (
              <KeyRow
                key={key.id}
                apiKey={key}
                isOwn={key.id === state.key.id}
                onAction={(action) => setPending({ key, action })}
              />
            ))}
          </Table>
        )}
      </QueryView>
      <NewKeyDialog
        keys={source}
        isOpen={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(key) => {
          setIsCreating(false);
          setShown(key);
          void refresh();
        }}
      />
      <ShownKeyDialog shown={shown} onClose={() => setShown(undefined)} />
      <ConfirmAction
        pending={pending}
        isOwn={pending?.key.id === state.key.id}
        isBusy={apply.isPending}
        onConfirm={() => pending && apply.mutate(pending)}
        onClose={() => setPending(undefined)}
      />
    </>
  );
}

function KeyRow({
  apiKey: key,
  isOwn,
  onAction,
}: {
  readonly apiKey: AdminKey;
  /** Whether the session was opened with this key. */
  readonly isOwn: boolean;
  readonly onAction: (action: PendingAction['action']) => void;
}) {
  const t = useTranslate();
  return (
    <tr className="tr-row">
      <td>
        <span className="font-medium">{key.name}</span>
        {isOwn && (
          <span className="ms-2">
            <Badge look="accent">{t('This session')}</Badge>
          </span>
        )}
      </td>
      <td>
        <code className="text-xs whitespace-nowrap">{key.prefix}_…</code>
      </td>
      <td>
        <span className="flex max-w-56 flex-wrap gap-1">
          {key.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </td>
      <td className="whitespace-nowrap text-muted">
        {[
          key.spend_cap !== null && formatUsd(key.spend_cap),
          key.requests_per_minute !== null && t('{count} per minute', { count: key.requests_per_minute }),
          key.expires_at !== null && t('until {day}', { day: formatDay(key.expires_at) }),
        ]
          .filter(Boolean)
          .join(' · ') || '–'}
      </td>
      <td className="whitespace-nowrap text-muted">
        {key.revoked_at ? (
          <Badge look="danger">{t('Revoked')}</Badge>
        ) : isExpired(key) ? (
          <Badge look="warn">{t('Expired')}</Badge>
        ) : (
          (key.last_used_at && formatDate(key.last_used_at)) || t('Never')
        )}
      </td>
      <td>
        {!key.revoked_at && (
          <span className="flex justify-end gap-1">
            <Button isSmall look="quiet" onClick={() => onAction('rotate')}>
              {t('Rotate')}
            </Button>
            <Button isSmall look="quiet" onClick={() => onAction('revoke')}>
              {t('Revoke')}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

function ConfirmAction({
  pending,
  isOwn,
  ...dialog
}: {
  readonly pending: PendingAction | undefined;
  /** Whether the session was opened with this key. */
  readonly isOwn: boolean;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  const name = nameOf(pending?.key);
  if (pending?.action === 'rotate') {
    return (
      <ConfirmDialog
        title={t('Replace the key {name}?', { name })}
        text={t('You get a new key. The old one works for another hour.')}
        action={t('Rotate')}
        isOpen
        {...dialog}
      />
    );
  }
  return (
    <ConfirmDialog
      title={t('Revoke the key {name}?', { name })}
      text={
        isOwn
          ? t('Programs that use it stop working at once, and you are logged out. This cannot be undone.')
          : t('Programs that use it stop working at once. This cannot be undone.')
      }
      action={t('Revoke')}
      isOpen={pending !== undefined}
      {...dialog}
    />
  );
}
