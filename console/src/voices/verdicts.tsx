import type { Voice } from 'mynah';
import { formatTime } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge } from '../ui/layout.tsx';

type Audios = NonNullable<Voice['quality']>['audios'];

/** The verdict on each recording, in the words of the server. */
export function VerdictList({ audios }: { readonly audios: Audios }) {
  const t = useTranslate();
  return (
    <ul className="divide-y divide-line">
      {audios.map((audio, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: recordings may have equal names
        <li key={index} className="flex items-start gap-3 py-2.5">
          <span className={audio.quality_passed ? 'text-ok' : 'text-danger'}>
            <Icon name={audio.quality_passed ? 'check' : 'warning'} />
          </span>
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-center gap-2">
              <span className="truncate">{audio.filename}</span>
              <Badge look={audio.quality_passed ? 'ok' : 'danger'}>
                {audio.quality_passed ? t('Used') : t('Not used')}
              </Badge>
              <span className="text-sm text-muted">{formatTime(audio.duration_ms / 1000)}</span>
            </div>
            {audio.quality_reason && (
              <p className="mt-1 text-sm break-words text-muted">{audio.quality_reason}</p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
