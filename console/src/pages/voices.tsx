import { Link } from '@tanstack/react-router';
import type { Voice } from 'mynah';
import { useState } from 'react';
import { playPreview, sampleUrl, usePreview } from '../audio/preview.ts';
import { languageName } from '../lib/format.ts';
import { useStored } from '../lib/storage.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isCustom, useVoices } from '../lib/use-voices.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, PageHeader } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { VoiceAvatar } from '../ui/voice-avatar.tsx';
import { DesignDialog } from '../voices/design-dialog.tsx';
import { MixDialog } from '../voices/mix-dialog.tsx';
import { matchesFilter, NO_FILTER, VoiceFilters } from '../voices/voice-filters.tsx';

export function VoicesPage() {
  const t = useTranslate();
  const voices = useVoices();
  const [filter, setFilter] = useState(NO_FILTER);
  const [favourites, setFavourites] = useStored<readonly string[]>('mynah.favourites', []);
  const [dialog, setDialog] = useState<'mix' | 'design'>();
  const toggle = (id: string) =>
    setFavourites(favourites.includes(id) ? favourites.filter((each) => each !== id) : [...favourites, id]);
  return (
    <>
      <PageHeader
        title={t('Voices')}
        text={t('Built-in voices, and those you have cloned, designed or mixed.')}
      >
        <Button icon="wand" onClick={() => setDialog('design')}>
          {t('Design')}
        </Button>
        <Button icon="users" onClick={() => setDialog('mix')}>
          {t('Mix')}
        </Button>
        <Link
          to="/clone"
          className="inline-flex min-h-10 items-center gap-2 rounded-[9px] bg-accent px-4 font-medium text-accent-ink hover:brightness-110"
        >
          <Icon name="voice" />
          {t('Clone a voice')}
        </Link>
      </PageHeader>
      <VoiceFilters filter={filter} onChange={setFilter} voices={voices.data ?? []} />
      <QueryView query={voices}>
        {(all) => {
          const list = all.filter((voice) => matchesFilter(voice, filter, favourites));
          if (list.length === 0) {
            return (
              <EmptyState icon="search" title={t('No voice matches.')}>
                {filter.origin === 'own' ? (
                  <Link to="/clone" className="text-accent underline">
                    {t('Clone your first voice')}
                  </Link>
                ) : (
                  t('Try fewer filters.')
                )}
              </EmptyState>
            );
          }
          return (
            <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
              {list.map((voice) => (
                <VoiceCard
                  key={voice._id}
                  voice={voice}
                  isFavourite={favourites.includes(voice._id)}
                  onFavourite={() => toggle(voice._id)}
                />
              ))}
            </ul>
          );
        }}
      </QueryView>
      <DesignDialog isOpen={dialog === 'design'} onClose={() => setDialog(undefined)} />
      <MixDialog isOpen={dialog === 'mix'} onClose={() => setDialog(undefined)} />
    </>
  );
}

function VoiceCard({
  voice,
  isFavourite,
  onFavourite,
}: {
  readonly voice: Voice;
  readonly isFavourite: boolean;
  readonly onFavourite: () => void;
}) {
  const t = useTranslate();
  const playing = usePreview();
  const url = sampleUrl(voice._id);
  const isPlaying = playing === url;
  return (
    <li className="card flex items-center gap-3 p-3">
      <button
        type="button"
        aria-label={isPlaying ? t('Stop') : t('Play a sample of {name}', { name: voice.title })}
        className="rounded-full"
        onClick={() => playPreview(url)}
      >
        <VoiceAvatar seed={voice._id} size={44} icon={isPlaying ? 'stop' : 'play'} />
      </button>
      <div className="min-w-0 flex-1">
        <Link
          to="/voices/$id"
          params={{ id: voice._id }}
          className="block truncate font-medium hover:underline"
        >
          {voice.title}
        </Link>
        <div className="truncate text-sm text-muted">
          {[voice.languages.map(languageName).join(', '), genderName(voice, t)].filter(Boolean).join(' · ')}
        </div>
        {isCustom(voice) && (
          <div className="mt-1">
            <Badge look={voice.state === 'failed' ? 'danger' : 'accent'}>
              {voice.state === 'trained' ? t('Your voice') : voice.state}
            </Badge>
          </div>
        )}
      </div>
      <IconButton
        label={isFavourite ? t('Remove from favourites') : t('Add to favourites')}
        aria-pressed={isFavourite}
        icon="star"
        isFilled={isFavourite}
        className={isFavourite ? 'text-warn' : ''}
        onClick={onFavourite}
      />
      <CopyButton isIcon text={voice._id} label={t('Copy the id')} />
    </li>
  );
}

function genderName(voice: Voice, t: ReturnType<typeof useTranslate>): string {
  if (voice.gender === 'female') return t('Female');
  return voice.gender === 'male' ? t('Male') : '';
}
