import { useQuery } from '@tanstack/react-query';
import type { TakeInfo } from '../audio/take.ts';
import { listTakes, removeTake } from '../audio/take-history.ts';
import { queryClient } from '../lib/api.ts';
import { formatDate, formatTime } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { IconButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';
import { showToast } from '../ui/toast.tsx';
import { VoiceAvatar } from '../ui/voice-avatar.tsx';

export const HISTORY_KEY = ['takes'] as const;

/** Earlier speech in this browser. */
export function History({ onOpen }: { readonly onOpen: (info: TakeInfo) => void }) {
  const t = useTranslate();
  const refresh = () => queryClient.invalidateQueries({ queryKey: HISTORY_KEY });
  const remove = async ({ id }: TakeInfo) => {
    const restore = await removeTake(id);
    await refresh();
    showToast(t('Deleted'), { label: t('Undo'), onClick: () => void restore().then(refresh) });
  };
  const { data = [] } = useQuery({ queryKey: HISTORY_KEY, queryFn: listTakes, staleTime: 0 });
  if (data.length === 0) {
    return (
      <EmptyState icon="history" title={t('Nothing here yet')}>
        {t('What you make is kept in this browser and nowhere else.')}
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {data.map((info) => (
        <li key={info.id} className="flex items-center gap-2 py-1.5">
          <button
            type="button"
            onClick={() => onOpen(info)}
            className="flex min-w-0 flex-1 items-center gap-3 rounded-lg px-2 py-1.5 text-start hover:bg-sunken"
          >
            <VoiceAvatar seed={info.voiceId} size={28} icon="play" />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{info.text}</span>
              <span className="block truncate text-sm text-muted">
                {info.voiceTitle} · {formatTime(info.durationSeconds ?? 0)} · {formatDate(info.createdAtMs)}
              </span>
            </span>
          </button>
          <IconButton label={t('Delete')} icon="trash" onClick={() => void remove(info)} />
        </li>
      ))}
    </ul>
  );
}
