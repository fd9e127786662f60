import type { Voice } from 'mynah';
import { formatPercent } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Badge } from '../ui/layout.tsx';
import { isBeingRefined } from './is-refining.ts';

/** How similar a cloned voice is to its recordings, before and after its refinement. Nothing for other voices. */
export function Similarity({ voice }: { readonly voice: Voice }) {
  const t = useTranslate();
  const { similarity, first_similarity: first } = voice.quality ?? {};
  if (similarity === undefined) return null;
  const isRefining = isBeingRefined(voice);
  return (
    <section className="card p-5" aria-label={t('Similarity to the recording')}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{t('Similarity to the recording')}</h2>
        {isRefining && (
          <span role="status">
            <Badge look="warn">{t('Being refined…')}</Badge>
          </span>
        )}
      </div>
      {first !== undefined && <Bar label={t('Before the refinement')} value={first} isWeak />}
      <Bar label={first === undefined ? t('Now') : t('After the refinement')} value={similarity} />
      {isRefining && (
        <p className="mt-2 text-sm text-muted">
          {t('The voice can be used while it is refined. It takes some minutes.')}
        </p>
      )}
    </section>
  );
}

function Bar({
  label,
  value,
  isWeak = false,
}: {
  readonly label: string;
  readonly value: number;
  readonly isWeak?: boolean;
}) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <div className="mb-2 grid grid-cols-[10rem_1fr_3rem] items-center gap-3 text-sm">
      <span className="truncate">{label}</span>
      <svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none" className="h-2 w-full">
        <rect width="100" height="6" rx="1" className="fill-line" />
        <rect width={share * 100} height="6" rx="1" className={isWeak ? 'fill-line-strong' : 'fill-accent'} />
      </svg>
      <span className="text-end tabular-nums">{formatPercent(value)}</span>
    </div>
  );
}
