import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Transcription } from 'mynah';
import { useEffect, useRef, useState } from 'react';
import { useRecorder } from '../audio/use-recorder.ts';
import { mynah } from '../lib/api.ts';
import { formatBytes, formatDate, formatPercent, formatTime } from '../lib/format.ts';
import { readStored, useStored, writeStored } from '../lib/storage.ts';
import { useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { TranscriptView } from '../transcribe/transcript-view.tsx';
import { BackArrow } from '../ui/back-arrow.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { DropZone } from '../ui/drop-zone.tsx';
import { Select, Switch, TextField } from '../ui/field.tsx';
import { Badge, PageHeader, Table } from '../ui/layout.tsx';
import { LevelMeter, MicrophoneProblem, RecordButton } from '../ui/recording.tsx';
import { EmptyState, ErrorState, QueryView } from '../ui/states.tsx';

interface StoredJob {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
}

interface Settings {
  /** Empty: the language is detected. */
  readonly language: string;
  /** Names and terms that are likely to occur. */
  readonly prompt: string;
  readonly hasSpeakers: boolean;
  /** Whether the recording is transcribed in the background. */
  readonly isJob: boolean;
}

const DEFAULT_SETTINGS: Settings = { language: '', prompt: '', hasSpeakers: false, isJob: false };
const JOBS_KEY = 'mynah.jobs';
const JOBS_MAX = 50;
const POLL_MS = 1500;
const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'pt', 'ru', 'zh'];

type Run =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: number; readonly text: string }
  | { readonly state: 'done'; readonly transcription: Transcription }
  | { readonly state: 'failed'; readonly error: unknown };

export function TranscribePage() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data: state } = useConsole();
  const abort = useRef<AbortController>(undefined);
  const [file, setFile] = useState<File>();
  const [settings, setSettings] = useState(DEFAULT_SETTINGS);
  const [run, setRun] = useState<Run>({ state: 'idle' });
  const [jobs, setJobs] = useStored<readonly StoredJob[]>(JOBS_KEY, []);
  useEffect(() => () => abort.current?.abort(), []);

  const choose = (chosen: File | undefined) => {
    if (chosen) setFile(chosen);
    setRun({ state: 'idle' });
  };
  const start = async () => {
    if (file === undefined) return;
    const { language, prompt, hasSpeakers, isJob } = settings;
    const request = {
      audio: file,
      format: 'verbose' as const,
      ...(language && { language }),
      ...(prompt.trim() && { prompt: prompt.trim() }),
      ...(hasSpeakers && { diarize: true }),
    };
    setRun({ state: 'running', progress: 0, text: '' });
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      if (isJob) {
        const job = await mynah.speechToText.submit(request, { signal });
        setJobs([{ id: job.id, name: file.name, createdAtMs: Date.now() }, ...jobs].slice(0, JOBS_MAX));
        return void navigate({ to: '/transcribe/$id', params: { id: job.id } });
      }
      let text = '';
      let progress = 0;
      for await (const event of mynah.speechToText.follow(request, { signal })) {
        if (event.event === 'finish') return setRun({ state: 'done', transcription: event.transcription });
        if (event.event === 'progress') progress = event.progress;
        else text = `${text} ${event.text}`;
        setRun({ state: 'running', progress, text });
      }
    } catch (error) {
      setRun(signal.aborted ? { state: 'idle' } : { state: 'failed', error });
    }
  };

  return (
    <>
      <PageHeader
        title={t('Transcribe')}
        text={t('Turn a recording into text, with times, speakers and captions.')}
      />
      <div className="grid gap-6 lg:grid-cols-[1fr_18rem]">
        <div className="min-w-0 space-y-5">
          <div className="grid gap-4 sm:grid-cols-2">
            <DropZone
              label={t('Drop a recording here')}
              hint={
                state
                  ? t('Up to {size}', { size: formatBytes(state.limits.asr_upload_max_bytes) })
                  : t('WAV, MP3, FLAC, Opus and more')
              }
              onFiles={([first]) => choose(first)}
            />
            <RecordingPanel onRecording={choose} />
          </div>
          {file && (
            <div className="card flex flex-wrap items-center gap-3 p-4">
              <span className="min-w-0 flex-1 truncate font-medium">{file.name}</span>
              <span className="text-sm text-muted">{formatBytes(file.size)}</span>
              {run.state === 'running' ? (
                <Button icon="stop" onClick={() => abort.current?.abort()}>
                  {t('Stop')}
                </Button>
              ) : (
                <Button look="primary" icon="text" onClick={() => void start()}>
                  {t('Transcribe')}
                </Button>
              )}
            </div>
          )}
          {run.state === 'running' && <Progress value={run.progress} text={run.text} />}
          {run.state === 'failed' && <ErrorState error={run.error} />}
          {run.state === 'done' && file && (
            <TranscriptView transcription={run.transcription} audio={file} name={file.name} />
          )}
        </div>
        <TranscriptionSettings settings={settings} onChange={setSettings} />
      </div>
      <JobList jobs={jobs} />
    </>
  );
}

/** Reports undefined when a recording is empty. */
function RecordingPanel({ onRecording }: { readonly onRecording: (file: File | undefined) => void }) {
  const t = useTranslate();
  const recorder = useRecorder();
  return (
    <div className="flex flex-col justify-center gap-3 rounded-xl bg-sunken p-5">
      <LevelMeter level={recorder.level} />
      <RecordButton
        isRecording={recorder.isRecording}
        seconds={recorder.seconds}
        onStart={() => void recorder.start()}
        onStop={() => {
          const blob = recorder.stop();
          onRecording(blob && new File([blob], `${t('Recording')}.wav`, { type: 'audio/wav' }));
        }}
      />
      {recorder.error !== undefined && <MicrophoneProblem />}
    </div>
  );
}

function TranscriptionSettings({
  settings,
  onChange,
}: {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}) {
  const t = useTranslate();
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  return (
    <section aria-label={t('Settings')} className="space-y-5">
      <Select
        label={t('Language')}
        value={settings.language}
        onChange={(language) => set({ language })}
        options={[
          { value: '', label: t('Recognize the language') },
          ...LANGUAGES.map((code) => ({ value: code, label: languageLabel(code) })),
        ]}
      />
      <TextField
        label={t('Names and terms')}
        value={settings.prompt}
        onChange={(prompt) => set({ prompt })}
        maxLength={500}
        hint={t('Words that are likely to occur.')}
      />
      <Switch
        label={t('Tell speakers apart')}
        isOn={settings.hasSpeakers}
        onChange={(hasSpeakers) => set({ hasSpeakers })}
      />
      <Switch
        label={t('In the background')}
        hint={t('For long recordings: you may close this page.')}
        isOn={settings.isJob}
        onChange={(isJob) => set({ isJob })}
      />
    </section>
  );
}

function languageLabel(code: string): string {
  return (
    new Intl.DisplayNames([document.documentElement.lang || 'en'], { type: 'language' }).of(code) ?? code
  );
}

function Progress({ value, text }: { readonly value: number; readonly text: string }) {
  const t = useTranslate();
  return (
    <div className="card p-4">
      <progress
        aria-label={t('Progress')}
        {...(value > 0 && { value, max: 1 })}
        className="h-2 w-full overflow-hidden rounded-full accent-[var(--accent)]"
      />
      <p className="mt-2 text-sm text-muted tabular-nums">
        {value > 0 ? formatPercent(value) : t('Uploading…')}
      </p>
      {text && <p className="mt-2 break-words">{text}</p>}
    </div>
  );
}

function JobList({ jobs }: { readonly jobs: readonly StoredJob[] }) {
  const t = useTranslate();
  return (
    <section className="mt-10">
      <h2 className="mb-3 text-lg font-semibold">{t('Background jobs')}</h2>
      {jobs.length === 0 ? (
        <div className="card">
          <EmptyState icon="text" title={t('No jobs yet')}>
            {t('Jobs that you start in this browser appear here.')}
          </EmptyState>
        </div>
      ) : (
        <Table label={t('Background jobs')} head={[t('Recording'), t('Started')]}>
          {jobs.map(({ id, name, createdAtMs }) => (
            <tr key={id} className="tr-row">
              <td>
                <Link
                  to="/transcribe/$id"
                  params={{ id }}
                  className="font-medium text-accent hover:underline"
                >
                  {name}
                </Link>
              </td>
              <td className="text-muted">{formatDate(createdAtMs)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function JobPage() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { id = '' } = useParams({ strict: false });
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: ({ signal }) => mynah.speechToText.getJob(id, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'queued' || state.data?.status === 'running' ? POLL_MS : false,
  });
  const [isDeleting, setIsDeleting] = useState(false);
  const jobs = readStored<readonly StoredJob[]>(JOBS_KEY, []);
  const name = jobs.find((stored) => stored.id === id)?.name ?? id;
  const remove = async () => {
    await mynah.speechToText.cancelJob(id).catch(() => {});
    writeStored(
      JOBS_KEY,
      jobs.filter((stored) => stored.id !== id),
    );
    await navigate({ to: '/transcribe' });
  };
  return (
    <>
      <p className="mb-2 text-sm">
        <Link to="/transcribe" className="text-muted hover:underline">
          <BackArrow /> {t('Transcribe')}
        </Link>
      </p>
      <PageHeader title={name}>
        <Button icon="trash" onClick={() => setIsDeleting(true)}>
          {t('Delete')}
        </Button>
      </PageHeader>
      <ConfirmDialog
        title={t('Delete this transcription?')}
        text={t('A running job is cancelled. This cannot be undone.')}
        action={t('Delete')}
        isOpen={isDeleting}
        onConfirm={() => void remove()}
        onClose={() => setIsDeleting(false)}
      />
      <QueryView query={job}>
        {({ status, progress, heard, result, error }) => (
          <div className="space-y-4">
            <p className="flex items-center gap-3">
              <Badge look={status === 'finished' ? 'ok' : status === 'failed' ? 'danger' : 'warn'}>
                {status}
              </Badge>
              <span className="text-sm text-muted">{formatTime(heard)}</span>
            </p>
            {error && <ErrorState error={new Error(error.message)} />}
            {status !== 'finished' && status !== 'failed' && <Progress value={progress} text={result.text} />}
            {status === 'finished' && <TranscriptView transcription={result} name={name} />}
          </div>
        )}
      </QueryView>
    </>
  );
}
