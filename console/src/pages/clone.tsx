import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Voice } from 'mynah';
import { useEffect, useState } from 'react';
import { playPreview, usePreview } from '../audio/preview.ts';
import { Take } from '../audio/take.ts';
import { useRecorder } from '../audio/use-recorder.ts';
import { mynah, queryClient } from '../lib/api.ts';
import { formatBytes } from '../lib/format.ts';
import type { Message } from '../lib/i18n.ts';
import { readStored, writeStored } from '../lib/storage.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { VOICES_KEY } from '../lib/use-voices.ts';
import { DEFAULT_SETTINGS } from '../playground/settings.ts';
import { TakeCard } from '../playground/take-card.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { DropZone } from '../ui/drop-zone.tsx';
import { Switch, TextField } from '../ui/field.tsx';
import { PageHeader } from '../ui/layout.tsx';
import { LevelMeter, MicrophoneProblem, RecordButton } from '../ui/recording.tsx';
import { ErrorState } from '../ui/states.tsx';
import { VerdictList } from '../voices/verdicts.tsx';

interface Recording {
  readonly id: string;
  readonly name: string;
  readonly blob: Blob;
  readonly url: string;
}

const PROMPTS: readonly Message[] = [
  /* msg */ 'The sun rose slowly over the quiet harbour, and the first boats were already leaving.',
  /* msg */ 'Have you ever wondered why some mornings feel longer than others? I certainly have!',
  /* msg */ 'Please bring three apples, a loaf of bread, and, if you find any, a jar of dark honey.',
];
const RECORDINGS_MAX = 20;

export function ClonePage() {
  const t = useTranslate();
  const [recordings, setRecordings] = useState<readonly Recording[]>([]);
  const [title, setTitle] = useState('');
  const [hasConsent, setHasConsent] = useState(false);
  const [isRefined, setIsRefined] = useState(false);
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
      <Result
        voice={create.data}
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
            <Switch
              label={t('Refine in the background')}
              hint={t('Takes some minutes and brings the voice closer to the recordings. It works at once.')}
              isOn={isRefined}
              onChange={setIsRefined}
            />
          </div>
        </Step>
        <Step number={3} title={t('Consent')}>
          <label className="flex items-start gap-3">
            <input
              type="checkbox"
              className="mt-1 size-4 shrink-0 accent-[var(--accent)]"
              checked={hasConsent}
              onChange={(event) => setHasConsent(event.target.checked)}
            />
            <span>{statement}</span>
          </label>
          <p className="mt-2 text-sm text-muted">{t('The statement is stored with the voice.')}</p>
        </Step>
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

function RecordPanel({ onRecording }: { readonly onRecording: (blob: Blob) => void }) {
  const t = useTranslate();
  const recorder = useRecorder({ isClean: true });
  const [prompt, setPrompt] = useState(0);
  const text = PROMPTS[prompt % PROMPTS.length];
  return (
    <div className="flex flex-col gap-3 rounded-xl bg-sunken p-4">
      <p className="text-sm text-muted">{t('Read this aloud, in your usual voice:')}</p>
      <p className="flex-1 text-[1.05rem]">“{text && t(text)}”</p>
      <LevelMeter level={recorder.level} />
      {recorder.error !== undefined && <MicrophoneProblem />}
      <div className="flex flex-wrap items-center gap-2">
        <RecordButton
          isRecording={recorder.isRecording}
          seconds={recorder.seconds}
          onStart={() => void recorder.start()}
          onStop={() => {
            const blob = recorder.stop();
            if (blob) onRecording(blob);
            setPrompt(prompt + 1);
          }}
        />
        {!recorder.isRecording && (
          <Button look="quiet" isSmall onClick={() => setPrompt(prompt + 1)}>
            {t('Another text')}
          </Button>
        )}
      </div>
    </div>
  );
}

function RecordingList({
  recordings,
  onRemove,
}: {
  readonly recordings: readonly Recording[];
  readonly onRemove: (id: string) => void;
}) {
  const t = useTranslate();
  const playing = usePreview();
  if (recordings.length === 0) return null;
  return (
    <ul aria-label={t('Recordings')} className="mt-4 divide-y divide-line">
      {recordings.map(({ id, name, url, blob }) => (
        <li key={id} className="flex items-center gap-2 py-1.5">
          <IconButton
            label={playing === url ? t('Stop') : t('Play')}
            icon={playing === url ? 'stop' : 'play'}
            onClick={() => playPreview(url)}
          />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="text-sm text-muted">{formatBytes(blob.size)}</span>
          <IconButton label={t('Remove')} icon="trash" onClick={() => onRemove(id)} />
        </li>
      ))}
    </ul>
  );
}

/** The new voice speaks, next to the recording. */
function Result({
  voice,
  recordings,
  onAgain,
}: {
  readonly voice: Voice;
  readonly recordings: readonly Recording[];
  readonly onAgain: () => void;
}) {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data: state } = useConsole();
  const [take, setTake] = useState<Take>();
  const model = state?.default_model ?? 's1';
  const text = t('This is how I sound now. Listen to the recording, then to me, and compare.');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the preview is made once
  useEffect(() => {
    const preview = new Take({
      id: voice._id,
      text,
      voiceId: voice._id,
      voiceTitle: voice.title,
      model,
      speed: 1,
      volume: 0,
      createdAtMs: Date.now(),
    });
    setTake(preview);
    void preview.run({ model, reference_id: voice._id });
    return () => preview.stop();
  }, []);
  return (
    <>
      <PageHeader title={t('{name} is ready', { name: voice.title })} />
      <div className="max-w-3xl space-y-5">
        {take && <TakeCard take={take} />}
        <section className="card p-5">
          <h2 className="mb-1 font-semibold">{t('Your recordings')}</h2>
          <RecordingCompare recordings={recordings} />
          {voice.quality && <VerdictList audios={voice.quality.audios} />}
        </section>
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            icon="wave"
            onClick={() => {
              writeStored('mynah.playground', {
                ...readStored('mynah.playground', DEFAULT_SETTINGS),
                voiceId: voice._id,
              });
              void navigate({ to: '/' });
            }}
          >
            {t('Speak with this voice')}
          </Button>
          <Link
            to="/voices/$id"
            params={{ id: voice._id }}
            className="inline-flex min-h-10 items-center rounded-[9px] border border-line-strong px-4 font-medium hover:bg-sunken"
          >
            {t('Details')}
          </Link>
          <Button look="quiet" onClick={onAgain}>
            {t('Clone another voice')}
          </Button>
        </div>
      </div>
    </>
  );
}

function RecordingCompare({ recordings }: { readonly recordings: readonly Recording[] }) {
  const t = useTranslate();
  const playing = usePreview();
  return (
    <div className="mb-2 flex flex-wrap gap-2">
      {recordings.map(({ id, name, url }) => (
        <Button key={id} isSmall icon={playing === url ? 'stop' : 'play'} onClick={() => playPreview(url)}>
          <span className="max-w-48 truncate">{playing === url ? t('Stop') : name}</span>
        </Button>
      ))}
    </div>
  );
}
