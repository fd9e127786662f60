import { useMutation, useQuery } from '@tanstack/react-query';
import type { AdminAccount } from 'mynah';
import { useState } from 'react';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDay, formatUsd } from '../lib/format.ts';
import { ACCOUNTS_KEY } from '../lib/query-keys.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Select, Switch, TextField } from '../ui/field.tsx';
import { Badge, NameCell, Table } from '../ui/layout.tsx';
import { ErrorState, QueryView } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'credit' | 'edit' | 'delete'; readonly account: AdminAccount }
  | undefined;

export function AccountsSection() {
  const t = useTranslate();
  const [open, setOpen] = useState<Open>();
  const accounts = useQuery({
    queryKey: ACCOUNTS_KEY,
    queryFn: ({ signal }) => mynah.admin.listAccounts({ signal }),
  });
  const close = () => setOpen(undefined);
  const remove = useMutation({
    mutationFn: ({ id }: AdminAccount) => mynah.admin.deleteAccount(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY }),
    onSettled: close,
  });
  return (
    <>
      <div className="mb-4 flex justify-end">
        <Button look="primary" icon="plus" onClick={() => setOpen({ kind: 'new' })}>
          {t('New account')}
        </Button>
      </div>
      {remove.error && (
        <div className="mb-4">
          <ErrorState error={remove.error} />
        </div>
      )}
      <QueryView query={accounts}>
        {(list) => (
          <Table
            label={t('Accounts')}
            head={[t('Name'), t('Credit'), t('Spent'), t('Concurrency'), t('Created'), '']}
          >
            {list.map((account) => (
              <tr key={account.id} className="tr-row">
                <NameCell name={account.name} id={account.id} />
                <td className="tabular-nums">{formatUsd(account.wallet.available)}</td>
                <td className="tabular-nums">{formatUsd(account.wallet.spent)}</td>
                <td>{account.concurrency_max ?? t('By tier')}</td>
                <td className="whitespace-nowrap text-muted">{formatDay(account.created_at)}</td>
                <td>
                  {account.deleted_at ? (
                    <Badge look="danger">{t('Deleted')}</Badge>
                  ) : (
                    <span className="flex justify-end gap-1">
                      <Button isSmall look="quiet" onClick={() => setOpen({ kind: 'credit', account })}>
                        {t('Credit')}
                      </Button>
                      <Button isSmall look="quiet" onClick={() => setOpen({ kind: 'edit', account })}>
                        {t('Edit')}
                      </Button>
                      <Button isSmall look="quiet" onClick={() => setOpen({ kind: 'delete', account })}>
                        {t('Delete')}
                      </Button>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
      <Dialog title={t('New account')} isOpen={open?.kind === 'new'} onClose={close}>
        <AccountForm onDone={close} />
      </Dialog>
      <Dialog title={t('Edit the account')} isOpen={open?.kind === 'edit'} onClose={close}>
        {open?.kind === 'edit' && <AccountForm account={open.account} onDone={close} />}
      </Dialog>
      <Dialog title={t('Credit')} isOpen={open?.kind === 'credit'} onClose={close}>
        {open?.kind === 'credit' && <CreditForm account={open.account} onDone={close} />}
      </Dialog>
      <ConfirmDialog
        title={t('Delete this account?')}
        text={t('Its keys are revoked; its voices, recordings and texts are deleted. This cannot be undone.')}
        action={t('Delete')}
        isOpen={open?.kind === 'delete'}
        isBusy={remove.isPending}
        onConfirm={() => open?.kind === 'delete' && remove.mutate(open.account)}
        onClose={close}
      />
    </>
  );
}

function AccountForm({ account, onDone }: { readonly account?: AdminAccount; readonly onDone: () => void }) {
  const t = useTranslate();
  const [name, setName] = useState(account?.name ?? '');
  const [concurrency, setConcurrency] = useState(account?.concurrency_max?.toString() ?? '');
  const [hasWatermark, setHasWatermark] = useState(account?.watermark ?? false);
  const save = useMutation({
    mutationFn: () => {
      const change = {
        name: name.trim(),
        concurrency_max: concurrency.trim() === '' ? null : Number(concurrency),
        watermark: hasWatermark,
      };
      return account ? mynah.admin.updateAccount(account.id, change) : mynah.admin.createAccount(change);
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      onDone();
    },
  });
  return (
    <DialogForm submission={save} action={t('Save')} isComplete={name.trim() !== ''} onCancel={onDone}>
      <TextField label={t('Name')} value={name} onChange={setName} required maxLength={200} />
      <TextField
        label={t('Simultaneous requests')}
        value={concurrency}
        onChange={setConcurrency}
        inputMode="numeric"
        placeholder={t('By tier')}
      />
      <Switch
        label={t('Watermark')}
        hint={t('An inaudible mark in its speech identifies the account.')}
        isOn={hasWatermark}
        onChange={setHasWatermark}
      />
    </DialogForm>
  );
}

function CreditForm({ account, onDone }: { readonly account: AdminAccount; readonly onDone: () => void }) {
  const t = useTranslate();
  const [kind, setKind] = useState('top_up');
  const [usd, setUsd] = useState('');
  const [memo, setMemo] = useState('');
  // The same id for every attempt, so that a repeated click books once.
  const [id] = useState(() => `console-${Date.now()}-${Math.random().toString(36).slice(2)}`);
  const book = useMutation({
    mutationFn: () =>
      mynah.admin.bookCredit(account.id, {
        kind: kind as 'top_up' | 'adjustment' | 'refund',
        usd: usd.trim(),
        id,
        memo,
      }),
    onSuccess: async () => {
      showToast(t('Booked.'));
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      onDone();
    },
  });
  return (
    <DialogForm submission={book} action={t('Book')} isComplete={usd.trim() !== ''} onCancel={onDone}>
      <p className="text-muted">
        {t('{name} has {credit}.', { name: account.name, credit: formatUsd(account.wallet.available) })}
      </p>
      <Select
        label={t('Kind')}
        value={kind}
        onChange={setKind}
        options={[
          { value: 'top_up', label: t('Top-up') },
          { value: 'adjustment', label: t('Adjustment') },
          { value: 'refund', label: t('Refund') },
        ]}
      />
      <TextField
        label={t('Amount in USD')}
        value={usd}
        onChange={setUsd}
        inputMode="decimal"
        placeholder="10.00"
        required
      />
      <TextField label={t('Note for the statement')} value={memo} onChange={setMemo} maxLength={500} />
    </DialogForm>
  );
}
