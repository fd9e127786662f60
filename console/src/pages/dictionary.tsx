import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Dictionary, PronunciationRule } from 'mynah';
import { useState } from 'react';
import { Take } from '../audio/take.ts';
import { mynah, queryClient } from '../lib/api.ts';
import { useConsole } from '../lib/use-console.ts';
import { useLeaveGuard } from '../lib/use-leave-guard.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { BackArrow } from '../ui/back-arrow.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { describeError, ErrorState, QueryView } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';
import { DICTIONARIES_KEY } from './dictionaries.tsx';

interface Content {
  readonly dictionary: Dictionary;
  readonly rules: readonly PronunciationRule[];
}

async function loadDictionary(id: string, signal: AbortSignal): Promise<Content> {
  const dictionary = await mynah.dictionaries.get(id, { signal });
  if (dictionary.latest_version_id === null) return { dictionary, rules: [] };
  const version = await mynah.dictionaries.getVersion(id, dictionary.latest_version_id, { signal });
  return { dictionary, rules: version.rules };
}

export function DictionaryPage() {
  const t = useTranslate();
  const { id = '' } = useParams({ strict: false });
  const content = useQuery({
    queryKey: ['dictionary', id],
    queryFn: ({ signal }) => loadDictionary(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <p className="mb-2 text-sm">
        <Link to="/dictionaries" className="text-muted hover:underline">
          <BackArrow /> {t('Dictionaries')}
        </Link>
      </p>
      <QueryView query={content} title={t('Dictionary')}>
        {(data) => <Editor key={data.dictionary.latest_version_id} content={data} />}
      </QueryView>
    </>
  );
}

interface Row extends PronunciationRule {
  readonly id: number;
}

function Editor({ content: { dictionary, rules } }: { readonly content: Content }) {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data: state } = useConsole();
  const [saved] = useState<readonly Row[]>(() => rules.map((rule, id) => ({ ...rule, id })));
  const [rows, setRows] = useState(saved);
  useLeaveGuard(rows !== saved);
  const [isDeleting, setIsDeleting] = useState(false);
  const usable = rows.filter(({ key, value }) => key.trim() !== '' && value.trim() !== '');
  const toRule = ({ id: _, ...rule }: Row): PronunciationRule => rule;
  const save = useMutation({
    mutationFn: () =>
      mynah.dictionaries.publish(dictionary.id, {
        rules: usable.map(toRule),
        expected_latest_version_id: dictionary.latest_version_id,
      }),
    onSuccess: async () => {
      showToast(t('Saved.'));
      await queryClient.invalidateQueries({ queryKey: ['dictionary', dictionary.id] });
      await queryClient.invalidateQueries({ queryKey: DICTIONARIES_KEY });
    },
  });
  const remove = useMutation({
    mutationFn: () => mynah.dictionaries.delete(dictionary.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: DICTIONARIES_KEY });
      await navigate({ to: '/dictionaries', ignoreBlocker: true });
    },
  });
  const change = (id: number, part: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () =>
    setRows([...rows, { id: 1 + Math.max(-1, ...rows.map(({ id }) => id)), key: '', value: '' }]);
  const hear = async (row: Row) => {
    const model = state?.default_model ?? 's1';
    const take = new Take({
      id: String(row.id),
      text: row.key,
      voiceId: '',
      voiceTitle: '',
      model,
      speed: 1,
      volume: 0,
      createdAtMs: 0,
    });
    await take.run({ model, pronunciation_dictionary: [{ items: [toRule(row)] }] });
    if (take.error !== undefined) showToast(describeError(take.error, t));
  };
  return (
    <>
      <PageHeader title={dictionary.name} text={dictionary.description}>
        <CopyButton text={dictionary.id} label={t('Copy the id')} />
        <Button icon="trash" onClick={() => setIsDeleting(true)}>
          {t('Delete')}
        </Button>
        <Button look="primary" icon="check" isBusy={save.isPending} onClick={() => save.mutate()}>
          {t('Save')}
        </Button>
      </PageHeader>
      {save.error && (
        <div className="mb-4">
          <ErrorState error={save.error} />
        </div>
      )}
      <div className="card divide-y divide-line">
        {rows.length === 0 && (
          <p className="p-8 text-center text-muted">{t('No words yet. Add the first one.')}</p>
        )}
        {rows.map((row, index) => (
          <div key={row.id} className="flex items-center gap-2 p-3">
            <input
              aria-label={t('Word {number}', { number: index + 1 })}
              placeholder={t('Word')}
              className="input"
              maxLength={200}
              value={row.key}
              onChange={(event) => change(row.id, { key: event.target.value })}
            />
            <input
              aria-label={t('Pronunciation of word {number}', { number: index + 1 })}
              placeholder={t('IPA between slashes, Arpabet, pinyin or romaji')}
              className="input"
              maxLength={200}
              value={row.value}
              onChange={(event) => change(row.id, { value: event.target.value })}
            />
            <IconButton
              label={t('Hear word {number}', { number: index + 1 })}
              icon="play"
              disabled={row.key.trim() === '' || row.value.trim() === ''}
              onClick={() => void hear(row)}
            />
            <IconButton
              label={t('Remove word {number}', { number: index + 1 })}
              icon="trash"
              onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}
            />
          </div>
        ))}
        <div className="p-3">
          <Button isSmall icon="plus" onClick={add}>
            {t('Add a word')}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        title={t('Delete this dictionary?')}
        text={t('Requests that name it fail afterwards. This cannot be undone.')}
        action={t('Delete')}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setIsDeleting(false)}
      />
    </>
  );
}
