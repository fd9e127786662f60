import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CloneResult } from '../clone/clone-result.tsx';
import { RecordPanel } from '../clone/record-panel.tsx';
import { RECORDINGS_MAX, type Recording } from '../clone/recording.ts';
import { RecordingList } from '../clone/recording-list.tsx';
import { mynah, queryClient } from '../lib/api.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { VOICES_KEY } from '../lib/use-voices.ts';
import { Button } from '../ui/button.tsx';
import { DropZone } from '../ui/drop-zone.tsx';
import { Switch, TextField } from '../ui/field.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { ErrorState } from '../ui/states.tsx';

export function ClonePage() {
  const t = useTranslate();
  const [recordings, setRecordings] = useState<readonly Recording[]>([]);
  const [title, setTitle] = useState('');
  const [hasConsent, setHasConsent] = useState(false);
  const [isRefined, setIsRefined] = useState(false);
  const { data: state } = useConsole();
  const isRefinedAutomatically = state?.voice_refinement === 'automatic';
  const statement = t(
    'The person in these recordings is me, or has agreed that this voice is made and used.',
  );
  const create = useMutation({
    mutationFn: () =>
      mynah.voices.create({
        title: title.trim(),
        voices: recordings.map(({ blob, name }) => new File([blob], name, { type: blob.type })),
        train_mode: isRefined ? 'full' : 'fast',
        consent: statement,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: VOICES_KEY }),
  });
  const add = (blobs: readonly { readonly blob: Blob; readonly name: string }[]) =>
    setRecordings((all) =>
      [
        ...all,
        ...blobs.map(({ blob, name }) => ({
          id: `${Date.now()}-${Math.random()}`,
          name,
          blob,
          url: URL.createObjectURL(blob),
        })),
      ].slice(0, RECORDINGS_MAX),
    );
  if (create.data) {
    return (
      <CloneResult
        created={create.data}
        recordings={recordings}
        onAgain={() => {
          create.reset();
          setRecordings([]);
          setTitle('');
          setHasConsent(false);
        }}
      />
    );
  }
  return (
    <>
      <PageHeader
        title={t('Clone a voice')}
        text={t('Ten to sixty seconds of one person, speaking clearly in a quiet room, are enough.')}
      />
      <ol className="max-w-3xl space-y-5">
        <Step number={1} title={t('Record or upload')}>
          <div className="grid gap-4 md:grid-cols-2">
            <RecordPanel
              onRecording={(blob) => add([{ blob, name: `${t('Recording')} ${recordings.length + 1}.wav` }])}
            />
            <DropZone
              label={t('Drop recordings here')}
              hint={t('WAV, MP3, FLAC, Opus and more')}
              isMultiple
              onFiles={(files) => add(files.map((file) => ({ blob: file, name: file.name })))}
            />
          </div>
          <RecordingList
            recordings={recordings}
            onRemove={(id) => setRecordings(recordings.filter((each) => each.id !== id))}
          />
        </Step>
        <Step number={2} title={t('Name it')}>
          <div className="grid gap-4 md:grid-cols-2">
            <TextField
              label={t('Name')}
              value={title}
              onChange={setTitle}
              maxLength={200}
              placeholder={t('For example: Grandmother')}
            />
            {isRefinedAutomatically ? (
              <p className="text-sm text-muted sm:pt-7">
                {t(
                  'The voice works at once. It is then refined in the background for some minutes, which brings it closer to the recordings.',
                )}
              </p>
            ) : (
              <Switch
                label={t('Refine in the background')}
                hint={t(
                  'Takes some minutes and brings the voice closer to the recordings. It works at once.',
                )}
                isOn={isRefined}
                onChange={setIsRefined}
              />
            )}
          </div>
        </Step>
        <ConsentStep statement={statement} isGiven={hasConsent} onChange={setHasConsent} />
      </ol>
      <div className="mt-6 max-w-3xl space-y-4">
        {create.error && <ErrorState error={create.error} />}
        <Button
          look="primary"
          icon="wand"
          isBusy={create.isPending}
          disabled={recordings.length === 0 || title.trim() === '' || !hasConsent}
          onClick={() => create.mutate()}
        >
          {create.isPending ? t('Listening to the recordings…') : t('Make the voice')}
        </Button>
      </div>
    </>
  );
}

function ConsentStep({
  statement,
  isGiven,
  onChange,
}: {
  readonly statement: string;
  readonly isGiven: boolean;
  readonly onChange: (isGiven: boolean) => void;
}) {
  const t = useTranslate();
  return (
    <Step number={3} title={t('Consent')}>
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          className="mt-1 size-4 shrink-0 accent-[var(--accent)]"
          checked={isGiven}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{statement}</span>
      </label>
      <p className="mt-2 text-sm text-muted">{t('The statement is stored with the voice.')}</p>
    </Step>
  );
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly children: React.ReactNode;
}) {
  return (
    <li className="card p-5">
      <h2 className="mb-4 flex items-center gap-3 font-semibold">
        <span className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-sm text-accent">
          {number}
        </span>
        {title}
      </h2>
      {children}
    </li>
  );
}
