import { formatTime } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Icon } from './icons.tsx';

const SEGMENTS = 24;

/** The level of the microphone. */
export function LevelMeter({ level }: { readonly level: number }) {
  const t = useTranslate();
  const lit = Math.round(level * SEGMENTS);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the meter element cannot be drawn in segments
    <div
      role="meter"
      aria-label={t('Level')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(level * 100)}
      className="flex h-4 items-stretch gap-0.5"
    >
      {Array.from({ length: SEGMENTS }, (_, index) => {
        const colour =
          index > SEGMENTS * 0.9 ? 'bg-danger' : index > SEGMENTS * 0.75 ? 'bg-warn' : 'bg-accent';
        // biome-ignore lint/suspicious/noArrayIndexKey: the segments have fixed places
        return <span key={index} className={`flex-1 rounded-sm ${index < lit ? colour : 'bg-line'}`} />;
      })}
    </div>
  );
}

export function RecordButton({
  isRecording,
  seconds,
  onStart,
  onStop,
}: {
  readonly isRecording: boolean;
  readonly seconds: number;
  readonly onStart: () => void;
  readonly onStop: () => void;
}) {
  const t = useTranslate();
  return (
    <button
      type="button"
      onClick={isRecording ? onStop : onStart}
      className={`inline-flex min-h-11 items-center justify-center gap-2.5 rounded-full px-5 font-medium ${isRecording ? 'bg-danger text-bg' : 'bg-accent text-accent-ink'} hover:brightness-110`}
    >
      <Icon name={isRecording ? 'stop' : 'voice'} />
      {isRecording ? t('Stop recording') : t('Record')}
      {isRecording && <span className="tabular-nums">{formatTime(seconds)}</span>}
    </button>
  );
}

/** Explains why there is no microphone. */
export function MicrophoneProblem() {
  const t = useTranslate();
  return (
    <p role="alert" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
      {t('The microphone is not available. Allow it in the browser; over the network it needs HTTPS.')}
    </p>
  );
}
