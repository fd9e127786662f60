import { lazy, Suspense, useEffect, useReducer } from 'react';
import type { Take } from '../audio/take.ts';
import { usePosition } from '../audio/use-player.ts';
import { formatTime, formatUsd } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge } from '../ui/layout.tsx';
import { describeError, ErrorState } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';
import { VoiceAvatar } from '../ui/voice-avatar.tsx';
import { downloadTake, type FileFormat } from './download-take.ts';
import { SpokenText } from './spoken-text.tsx';

/** Loads the waveform ahead of its first use, so that it is there when the connection is not. */
export const loadWaveform = () => import('./waveform.tsx');

const Waveform = lazy(() =>
  loadWaveform().then(
    (module) => ({ default: module.Waveform }),
    // A take without a waveform still plays.
    () => ({ default: () => <div className="h-14 flex-1" /> }),
  ),
);

/** A synthesis: its player, its words and its figures. */
export function TakeCard({
  take,
  hasText = true,
  format = 'wav',
}: {
  readonly take: Take;
  readonly hasText?: boolean;
  readonly format?: FileFormat;
}) {
  const t = useTranslate();
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => take.subscribe(render), [take]);
  const position = usePosition(take.player);
  const { info, player } = take;
  const isPlaying = player.isPlaying && (player.durationSeconds > 0 || take.isRunning);
  return (
    <article aria-label={t('Speech')} className="card p-4 md:p-5" data-testid="take">
      <div className="flex items-center gap-3 md:gap-4">
        <button
          type="button"
          aria-label={isPlaying ? t('Pause') : t('Play')}
          onClick={() => player.toggle()}
          className="flex size-12 shrink-0 items-center justify-center rounded-full bg-accent text-accent-ink hover:brightness-110"
        >
          <Icon name={isPlaying ? 'pause' : 'play'} size={20} />
        </button>
        <Suspense fallback={<div className="h-14 flex-1" />}>
          <Waveform player={player} />
        </Suspense>
        <span className="hidden w-28 whitespace-nowrap text-end text-sm text-muted tabular-nums sm:block">
          {formatTime(position)} / {formatTime(player.durationSeconds)}
        </span>
        <IconButton
          label={t('Download {format}', { format: format.toUpperCase() })}
          icon="download"
          disabled={!player.isComplete || player.durationSeconds === 0}
          onClick={() =>
            downloadTake(take, format).catch((error: unknown) => showToast(describeError(error, t)))
          }
        />
      </div>
      {hasText && (
        <div className="mt-4">
          <SpokenText take={take} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <span className="me-1 inline-flex items-center gap-2 text-sm">
          <VoiceAvatar seed={info.voiceId} size={22} />
          {info.voiceTitle}
        </span>
        <Badge>{info.model}</Badge>
        {info.firstAudioMs !== undefined && (
          <Badge look="accent">{t('First audio after {ms} ms', { ms: info.firstAudioMs })}</Badge>
        )}
        {info.costUsd !== undefined && <Badge>{formatUsd(info.costUsd)}</Badge>}
        {take.isRunning && <Badge look="warn">{t('Making speech…')}</Badge>}
      </div>
      {take.error !== undefined && (
        <div className="mt-4">
          <ErrorState error={take.error} />
        </div>
      )}
    </article>
  );
}
