import { useEffect } from 'react';
import { playPreview, stopPreview, usePreview } from '../audio/preview.ts';
import type { Take } from '../audio/take.ts';
import { usePosition } from '../audio/use-player.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import type { Recording } from './recording.ts';

/** Plays the recording and the voice one after the other. Starting one stops the other. */
export function Comparison({
  recordings,
  before,
  current,
}: {
  readonly recordings: readonly Recording[];
  readonly before: Take | undefined;
  readonly current: Take | undefined;
}) {
  const t = useTranslate();
  const playing = usePreview();
  const pause = () => {
    before?.player.pause();
    current?.player.pause();
  };
  return (
    <section className="card p-5" aria-label={t('Compare')}>
      <h2 className="mb-3 font-semibold">{t('Compare')}</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <div>
          <p className="mb-2 text-sm text-muted">{t('A: the recording')}</p>
          <div className="flex flex-wrap gap-2">
            {recordings.map(({ id, name, url }) => (
              <Button
                key={id}
                isSmall
                icon={playing === url ? 'stop' : 'play'}
                onClick={() => {
                  pause();
                  playPreview(url);
                }}
              >
                <span className="max-w-48 truncate">{playing === url ? t('Stop') : name}</span>
              </Button>
            ))}
          </div>
        </div>
        <div>
          <p className="mb-2 text-sm text-muted">{t('B: the voice')}</p>
          <div className="flex flex-wrap gap-2">
            {before && <TakeButton take={before} label={t('Before the refinement')} />}
            {current && (
              <TakeButton take={current} label={before ? t('After the refinement') : t('The voice')} />
            )}
          </div>
        </div>
      </div>
    </section>
  );
}

function TakeButton({ take, label }: { readonly take: Take; readonly label: string }) {
  const t = useTranslate();
  usePosition(take.player);
  const { isPlaying } = take.player;
  useEffect(() => {
    if (isPlaying) stopPreview();
  }, [isPlaying]);
  return (
    <Button
      isSmall
      icon={isPlaying ? 'stop' : 'play'}
      onClick={() => (isPlaying ? take.player.pause() : take.player.play(0))}
    >
      {isPlaying ? t('Stop') : label}
    </Button>
  );
}
