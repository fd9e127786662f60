import { useQuery } from '@tanstack/react-query';
import type { Health } from 'mynah';
import { mynah } from '../lib/api.ts';
import { formatPercent } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';

const POLL_MS = 1500;

/** The part of the downloads that has arrived; undefined when nothing is being downloaded. */
function downloadedShare({ models }: Health): number | undefined {
  const open = models.filter(({ total_bytes: total, state }) => total && state === 'loading');
  const sum = (key: 'received_bytes' | 'total_bytes') =>
    open.reduce((all, model) => all + (model[key] ?? 0), 0);
  return open.length === 0 ? undefined : sum('received_bytes') / sum('total_bytes');
}

/** Tells on the first start that the models are still being downloaded. */
export function ModelsLoading() {
  const t = useTranslate();
  const { data } = useQuery({
    queryKey: ['health', 'start'],
    queryFn: ({ signal }) => mynah.getHealth({ signal }),
    refetchInterval: ({ state }) => (state.data?.ready === false ? POLL_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined || data.ready) return null;
  const share = downloadedShare(data);
  return (
    <div role="status" className="bg-accent-soft px-4 py-2 text-center text-sm text-accent">
      {share === undefined
        ? t('The speech models are being loaded.')
        : t('The speech models are being downloaded: {percent}.', { percent: formatPercent(share) })}
    </div>
  );
}
