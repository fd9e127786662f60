import { useMutation } from '@tanstack/react-query';
import type { CreatedKey } from 'mynah';
import { useState } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { TextField } from '../ui/field.tsx';
import type { KeySource } from './key-source.ts';

/** Scopes that a new key gets only on request. */
const EXPLICIT_SCOPES = ['keys:write', 'metrics', 'admin'];

/** The end of a day such as `2026-12-31` in the time zone of the browser. */
function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/** Asks for the name, the scopes, the limits and the expiry of a new key. */
export function NewKeyDialog({
  keys,
  isOpen,
  onClose,
  onCreated,
}: {
  readonly keys: KeySource;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: CreatedKey) => void;
}) {
  const t = useTranslate();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(
    keys.scopes.filter((scope) => !EXPLICIT_SCOPES.includes(scope)),
  );
  const [cap, setCap] = useState('');
  const [rate, setRate] = useState('');
  const [lastDay, setLastDay] = useState('');
  const create = useMutation({
    mutationFn: () =>
      keys.create({
        name: name.trim(),
        scopes,
        ...(cap.trim() && { spend_cap: cap.trim() }),
        ...(rate.trim() && { requests_per_minute: Number(rate) }),
        ...(lastDay && { expires_at: endOfDay(lastDay) }),
      }),
    onSuccess: (key) => {
      setName('');
      onCreated(key);
    },
  });
  return (
    <Dialog title={t('New key')} isOpen={isOpen} onClose={onClose}>
      <DialogForm submission={create} action={t('Create')} isComplete={name.trim() !== ''} onCancel={onClose}>
        <TextField label={t('Name')} value={name} onChange={setName} required maxLength={200} />
        <fieldset>
          <legend className="mb-1 text-sm font-medium">{t('Scopes')}</legend>
          <div className="grid grid-cols-2 gap-2">
            {keys.scopes.map((scope) => (
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
        <TextField
          label={t('Expires')}
          type="date"
          value={lastDay}
          onChange={setLastDay}
          hint={t('The last day on which the key works. Empty: it does not expire.')}
        />
      </DialogForm>
    </Dialog>
  );
}
