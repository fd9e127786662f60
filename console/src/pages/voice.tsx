import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Visibility, Voice } from 'mynah';
import { useState } from 'react';
import { playPreview, sampleUrl, usePreview } from '../audio/preview.ts';
import { mynah, queryClient } from '../lib/api.ts';
import { formatDate, formatNumber, languageName } from '../lib/format.ts';
import { readStored, writeStored } from '../lib/storage.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isCustom, VOICES_KEY } from '../lib/use-voices.ts';
import { codeSamples } from '../playground/code-samples.ts';
import { DEFAULT_SETTINGS } from '../playground/settings.ts';
import { BackArrow } from '../ui/back-arrow.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CodeBlock, CopyButton } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Field, Select, TextField } from '../ui/field.tsx';
import { Badge, PageHeader } from '../ui/layout.tsx';
import { QueryView } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';
import { isBeingRefined } from '../voices/is-refining.ts';
import { Similarity } from '../voices/similarity.tsx';
import { VerdictList } from '../voices/verdicts.tsx';

const POLL_MS = 3000;

export function VoicePage() {
  const t = useTranslate();
  const { id } = useParams({ strict: false });
  const voice = useQuery({
    queryKey: ['voice', id],
    queryFn: ({ signal }) => mynah.voices.get(id ?? '', { signal }),
    // A voice that is being refined changes.
    refetchInterval: ({ state }) => (isBeingRefined(state.data) ? POLL_MS : false),
  });
  return (
    <>
      <p className="mb-2 text-sm">
        <Link to="/voices" className="text-muted hover:underline">
          <BackArrow /> {t('Voices')}
        </Link>
      </p>
      <QueryView query={voice} title={t('Voice')}>
        {(data) => <VoiceView voice={data} />}
      </QueryView>
    </>
  );
}

function VoiceView({ voice }: { readonly voice: Voice }) {
  const t = useTranslate();
  const navigate = useNavigate();
  const playing = usePreview();
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const isOwn = isCustom(voice);
  const remove = useMutation({
    mutationFn: () => mynah.voices.delete(voice._id),
    onSuccess: async () => {
      showToast(t('The voice was deleted.'));
      await queryClient.invalidateQueries({ queryKey: VOICES_KEY });
      await navigate({ to: '/voices' });
    },
  });
  const speak = () => {
    writeStored('mynah.playground', {
      ...readStored('mynah.playground', DEFAULT_SETTINGS),
      voiceId: voice._id,
    });
    void navigate({ to: '/' });
  };
  const request = {
    text: voice.default_text || 'Hello!',
    voiceId: voice._id,
    model: 's1',
    speed: 1,
    volume: 0,
  };
  const curl = codeSamples(request, location.origin)[0];
  return (
    <>
      <PageHeader title={voice.title} text={voice.description}>
        {isOwn && (
          <>
            <Button onClick={() => setDialog('edit')}>{t('Edit')}</Button>
            <Button icon="trash" onClick={() => setDialog('delete')}>
              {t('Delete')}
            </Button>
          </>
        )}
        <Button look="primary" icon="wave" onClick={speak}>
          {t('Speak with this voice')}
        </Button>
      </PageHeader>
      <div className="grid gap-6 lg:grid-cols-[1fr_20rem]">
        <div className="min-w-0 space-y-6">
          <section className="card p-5">
            <h2 className="mb-3 font-semibold">{t('Samples')}</h2>
            <ul className="divide-y divide-line">
              {voice.samples.map((sample, index) => {
                const url = sampleUrl(voice._id, index);
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: samples have no id but their index
                  <li key={index} className="flex items-center gap-3 py-2">
                    <IconButton
                      label={playing === url ? t('Stop') : t('Play')}
                      icon={playing === url ? 'stop' : 'play'}
                      onClick={() => playPreview(url)}
                    />
                    <span className="min-w-0">
                      <span className="block truncate">{sample.title}</span>
                      <span className="block text-sm break-words text-muted">{sample.text}</span>
                    </span>
                  </li>
                );
              })}
            </ul>
          </section>
          {voice.quality && voice.quality.audios.length > 0 && (
            <section className="card p-5">
              <h2 className="mb-3 font-semibold">{t('Recordings')}</h2>
              <VerdictList audios={voice.quality.audios} />
            </section>
          )}
          <Similarity voice={voice} />
          {curl && <CodeBlock code={curl.code} label="curl" />}
        </div>
        <dl className="card grid h-fit grid-cols-[auto_1fr] gap-x-4 gap-y-2.5 p-5 text-sm">
          <dt className="text-muted">{t('State')}</dt>
          <dd>
            <Badge look={voice.state === 'trained' ? 'ok' : voice.state === 'failed' ? 'danger' : 'warn'}>
              {voice.state}
            </Badge>
          </dd>
          <dt className="text-muted">{t('Languages')}</dt>
          <dd>{voice.languages.map(languageName).join(', ')}</dd>
          <dt className="text-muted">{t('Visibility')}</dt>
          <dd>{voice.visibility}</dd>
          <dt className="text-muted">{t('Tags')}</dt>
          <dd className="break-words">{voice.tags.join(', ') || '–'}</dd>
          <dt className="text-muted">{t('Uses')}</dt>
          <dd className="tabular-nums">{formatNumber(voice.task_count)}</dd>
          <dt className="text-muted">{t('Created')}</dt>
          <dd>{formatDate(voice.created_at)}</dd>
          <dt className="self-center text-muted">{t('Id')}</dt>
          <dd className="flex min-w-0 items-center">
            <code className="truncate text-xs">{voice._id}</code>
            <CopyButton isIcon text={voice._id} label={t('Copy the id')} />
          </dd>
        </dl>
      </div>
      <EditDialog voice={voice} isOpen={dialog === 'edit'} onClose={() => setDialog(undefined)} />
      <ConfirmDialog
        title={t('Delete this voice?')}
        text={t('Its recordings are deleted as well. This cannot be undone.')}
        action={t('Delete')}
        isOpen={dialog === 'delete'}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setDialog(undefined)}
      />
    </>
  );
}

function EditDialog({
  voice,
  isOpen,
  onClose,
}: {
  readonly voice: Voice;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  const [title, setTitle] = useState(voice.title);
  const [description, setDescription] = useState(voice.description);
  const [tags, setTags] = useState(voice.tags.join(', '));
  const [visibility, setVisibility] = useState<string>(voice.visibility);
  const save = useMutation({
    mutationFn: () =>
      mynah.voices.update(voice._id, {
        title,
        description,
        tags: tags
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
        visibility: visibility as Visibility,
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['voice', voice._id] });
      await queryClient.invalidateQueries({ queryKey: VOICES_KEY });
      onClose();
    },
  });
  return (
    <Dialog title={t('Edit the voice')} isOpen={isOpen} onClose={onClose}>
      <DialogForm submission={save} action={t('Save')} onCancel={onClose}>
        <TextField label={t('Name')} value={title} onChange={setTitle} required maxLength={200} />
        <Field label={t('Description')}>
          {(id) => (
            <textarea
              id={id}
              rows={3}
              maxLength={5000}
              className="input"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        <TextField label={t('Tags, separated by commas')} value={tags} onChange={setTags} />
        <Select
          label={t('Visibility')}
          value={visibility}
          onChange={setVisibility}
          options={[
            { value: 'private', label: t('Private: only your account') },
            { value: 'unlist', label: t('Unlisted: anyone with the id') },
            { value: 'public', label: t('Public: all accounts of this server') },
          ]}
        />
      </DialogForm>
    </Dialog>
  );
}
