import { useMutation, useQuery } from '@tanstack/react-query';
import type { AdminKey, ConsoleState, CreatedKey } from 'mynah';
import { useState } from 'react';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDate, formatUsd } from '../lib/format.ts';
import { ACCOUNTS_KEY } from '../lib/query-keys.ts';
import { hasScope, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Select, TextField } from '../ui/field.tsx';
import { Badge, PageHeader, Table } from '../ui/layout.tsx';
import { EmptyState, ErrorState, QueryView } from '../ui/states.tsx';

const SCOPES = ['tts', 'asr', 'voices:read', 'voices:write', 'wallet:read', 'metrics', 'admin'];

export function KeysPage() {
  const t = useTranslate();
  const state = useConsole();
  return (
    <QueryView query={state}>
      {(data) =>
        hasScope(data, 'admin') ? (
          <KeyList state={data} />
        ) : (
          <>
            <PageHeader title={t('API keys')} />
            <div className="card">
              <EmptyState icon="key" title={t('Keys are managed by the administrator')}>
                {t('Your key needs the scope admin to create and revoke keys.')}
              </EmptyState>
            </div>
          </>
        )
      }
    </QueryView>
  );
}

function KeyList({ state }: { readonly state: ConsoleState }) {
  const t = useTranslate();
  const [accountId, setAccountId] = useState(state.account.id);
  const accounts = useQuery({
    queryKey: ACCOUNTS_KEY,
    queryFn: ({ signal }) => mynah.admin.listAccounts({ signal }),
  });
  const active = accounts.data?.filter(({ deleted_at }) => deleted_at === null) ?? [];
  const queryKey = ['keys', accountId];
  const keys = useQuery({
    queryKey,
    queryFn: ({ signal }) => mynah.admin.listKeys({ account_id: accountId }, { signal }),
  });
  const [isCreating, setIsCreating] = useState(false);
  const [shown, setShown] = useState<CreatedKey>();
  const [pending, setPending] = useState<{ readonly key: AdminKey; readonly action: 'rotate' | 'revoke' }>();
  const refresh = () => queryClient.invalidateQueries({ queryKey });
  const apply = useMutation({
    mutationFn: async ({ key, action }: NonNullable<typeof pending>) => {
      if (action === 'rotate') setShown(await mynah.admin.rotateKey(key.id));
      else await mynah.admin.revokeKey(key.id);
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
        {active.length > 1 && (
          <Select
            label={t('Account')}
            isLabelHidden
            value={accountId}
            onChange={setAccountId}
            options={active.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('New key')}
        </Button>
      </PageHeader>
      {apply.error && <ErrorState error={apply.error} />}
      <QueryView query={keys}>
        {(list) => (
          <Table
            label={t('API keys')}
            head={[t('Name'), t('Key'), t('Scopes'), t('Limits'), t('Last used'), '']}
          >
            {[...list].reverse().map((key) => (
              <tr key={key.id} className="tr-row">
                <td>
                  <span className="font-medium">{key.name}</span>
                  {key.id === state.key.id && (
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
                    key.requests_per_minute !== null &&
                      t('{count} per minute', { count: key.requests_per_minute }),
                  ]
                    .filter(Boolean)
                    .join(' · ') || '–'}
                </td>
                <td className="whitespace-nowrap text-muted">
                  {key.revoked_at ? (
                    <Badge look="danger">{t('Revoked')}</Badge>
                  ) : (
                    (key.last_used_at && formatDate(key.last_used_at)) || t('Never')
                  )}
                </td>
                <td>
                  {!key.revoked_at && (
                    <span className="flex justify-end gap-1">
                      <Button isSmall look="quiet" onClick={() => setPending({ key, action: 'rotate' })}>
                        {t('Rotate')}
                      </Button>
                      <Button isSmall look="quiet" onClick={() => setPending({ key, action: 'revoke' })}>
                        {t('Revoke')}
                      </Button>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
      <NewKeyDialog
        accountId={accountId}
        isOpen={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(key) => {
          setIsCreating(false);
          setShown(key);
          void refresh();
        }}
      />
      <ShownKeyDialog shown={shown} onClose={() => setShown(undefined)} />
      <ConfirmDialog
        title={pending?.action === 'rotate' ? t('Replace this key?') : t('Revoke this key?')}
        text={
          pending?.action === 'rotate'
            ? t('You get a new key. The old one works for another hour.')
            : t('Programs that use it stop working at once. This cannot be undone.')
        }
        action={pending?.action === 'rotate' ? t('Rotate') : t('Revoke')}
        isOpen={pending !== undefined}
        isBusy={apply.isPending}
        onConfirm={() => pending && apply.mutate(pending)}
        onClose={() => setPending(undefined)}
      />
    </>
  );
}

function ShownKeyDialog({
  shown,
  onClose,
}: {
  readonly shown: CreatedKey | undefined;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  return (
    <Dialog title={t('Your new key')} isOpen={shown !== undefined} onClose={onClose}>
      <p className="text-muted">{t('Copy it now: it is not shown again.')}</p>
      <div className="my-4 flex items-center gap-2 rounded-lg bg-sunken p-3">
        <code className="min-w-0 flex-1 text-sm break-all" data-testid="new-key">
          {shown?.key}
        </code>
        <CopyButton text={shown?.key ?? ''} label={t('Copy')} />
      </div>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  );
}

export function NewKeyDialog({
  accountId,
  isOpen,
  onClose,
  onCreated,
}: {
  readonly accountId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: CreatedKey) => void;
}) {
  const t = useTranslate();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(
    SCOPES.filter((scope) => scope !== 'admin' && scope !== 'metrics'),
  );
  const [cap, setCap] = useState('');
  const [rate, setRate] = useState('');
  const create = useMutation({
    mutationFn: () =>
      mynah.admin.createKey({
        account_id: accountId,
        name: name.trim(),
        scopes,
        ...(cap.trim() && { spend_cap: cap.trim() }),
        ...(rate.trim() && { requests_per_minute: Number(rate) }),
      }),
    onSuccess: (key) => {
      setName('');
      onCreated(key);
    },
  });
  return (
    <Dialog title={t('New key')} isOpen={isOpen} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField label={t('Name')} value={name} onChange={setName} required maxLength={200} />
        <fieldset>
          <legend className="mb-1 text-sm font-medium">{t('Scopes')}</legend>
          <div className="grid grid-cols-2 gap-2">
            {SCOPES.map((scope) => (
              <label key={scope} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="size-4 accent-[var(--accent)]"
                  checked={scopes.includes(scope)}
                  onChange={(event) =>
                    setScopes(
                      event.target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope),
                    )
                  }
                />
                {scope}
              </label>
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={t('Spend cap in USD')}
            value={cap}
            onChange={setCap}
            inputMode="decimal"
            placeholder="–"
          />
          <TextField
            label={t('Requests per minute')}
            value={rate}
            onChange={setRate}
            inputMode="numeric"
            placeholder="–"
          />
        </div>
        {create.error && <ErrorState error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" isBusy={create.isPending} disabled={name.trim() === ''}>
            {t('Create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
