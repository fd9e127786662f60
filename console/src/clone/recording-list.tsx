import { playPreview, usePreview } from '../audio/preview.ts';
import { formatBytes } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { IconButton } from '../ui/button.tsx';
import type { Recording } from './recording.ts';

export function RecordingList({
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
