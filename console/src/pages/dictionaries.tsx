import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Dictionary } from 'mynah';
import { useState } from 'react';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDate } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { TextField } from '../ui/field.tsx';
import { PageHeader, Table } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';

export const DICTIONARIES_KEY = ['dictionaries'] as const;
const SHOWN_MAX = 500;

async function listDictionaries(signal: AbortSignal): Promise<readonly Dictionary[]> {
  const all: Dictionary[] = [];
  for await (const dictionary of mynah.dictionaries.list({ signal })) {
    all.push(dictionary);
    if (all.length >= SHOWN_MAX) break;
  }
  return all;
}

export function DictionariesPage() {
  const t = useTranslate();
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const [name, setName] = useState('');
  const dictionaries = useQuery({
    queryKey: DICTIONARIES_KEY,
    queryFn: ({ signal }) => listDictionaries(signal),
  });
  const create = useMutation({
    mutationFn: () => mynah.dictionaries.create({ name: name.trim() }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: DICTIONARIES_KEY });
      await navigate({ to: '/dictionaries/$id', params: { id } });
    },
  });
  return (
    <>
      <PageHeader title={t('Dictionaries')} text={t('How names and terms are pronounced.')}>
        <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
          {t('New dictionary')}
        </Button>
      </PageHeader>
      <QueryView query={dictionaries}>
        {(list) =>
          list.length === 0 ? (
            <div className="card">
              <EmptyState icon="book" title={t('No dictionaries yet')}>
                {t('A dictionary teaches the voices how to say a name, a brand or a foreign word.')}
              </EmptyState>
            </div>
          ) : (
            <Table label={t('Dictionaries')} head={[t('Name'), t('Changed')]}>
              {list.map((dictionary) => (
                <tr key={dictionary.id} className="tr-row">
                  <td>
                    <Link
                      to="/dictionaries/$id"
                      params={{ id: dictionary.id }}
                      className="font-medium text-accent hover:underline"
                    >
                      {dictionary.name}
                    </Link>
                  </td>
                  <td className="text-muted">{formatDate(dictionary.updated_at)}</td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryView>
      <Dialog title={t('New dictionary')} isOpen={isCreating} onClose={() => setIsCreating(false)}>
        <DialogForm
          submission={create}
          action={t('Create')}
          isComplete={name.trim() !== ''}
          onCancel={() => setIsCreating(false)}
        >
          <TextField label={t('Name')} value={name} onChange={setName} required maxLength={100} />
        </DialogForm>
      </Dialog>
    </>
  );
}
