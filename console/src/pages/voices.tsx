import { Link } from '@tanstack/react-router';
import type { Voice } from 'mynah';
import { useMemo, useState } from 'react';
import { playPreview, sampleUrl, usePreview } from '../audio/preview.ts';
import { languageName } from '../lib/format.ts';
import { useStored } from '../lib/storage.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isCustom, matchesVoice, useVoices } from '../lib/use-voices.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Select } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Badge, PageHeader } from '../ui/layout.tsx';
import { EmptyState, QueryView } from '../ui/states.tsx';
import { VoiceAvatar } from '../ui/voice-avatar.tsx';
import { DesignDialog } from '../voices/design-dialog.tsx';
import { MixDialog } from '../voices/mix-dialog.tsx';

const ANY = '';

export function VoicesPage() {
  const t = useTranslate();
  const voices = useVoices();
  const [query, setQuery] = useState('');
  const [language, setLanguage] = useState(ANY);
  const [gender, setGender] = useState(ANY);
  const [owner, setOwner] = useState(ANY);
  const [tag, setTag] = useState(ANY);
  const [favourites, setFavourites] = useStored<readonly string[]>('mynah.favourites', []);
  const [dialog, setDialog] = useState<'mix' | 'design'>();
  const languages = useMemo(
    () => [...new Set(voices.data?.flatMap((voice) => voice.languages))].sort(),
    [voices.data],
  );
  const tags = useMemo(() => [...new Set(voices.data?.flatMap((voice) => voice.tags))].sort(), [voices.data]);
  const shown = (all: readonly Voice[]) =>
    all
      .filter((voice) => matchesVoice(voice, query))
      .filter((voice) => language === ANY || voice.languages.includes(language))
      .filter((voice) => gender === ANY || voice.gender === gender)
      .filter((voice) => tag === ANY || voice.tags.includes(tag))
      .filter((voice) => {
        if (owner === 'own') return isCustom(voice);
        if (owner === 'built-in') return !isCustom(voice);
        return owner !== 'favourites' || favourites.includes(voice._id);
      });
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
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr_1fr]">
        <input
          type="search"
          aria-label={t('Search voices')}
          placeholder={t('Search by name, language or tag')}
          className="input col-span-2 lg:col-span-1"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <Select
          label={t('Language')}
          isLabelHidden
          value={language}
          onChange={setLanguage}
          options={[
            { value: ANY, label: t('All languages') },
            ...languages.map((code) => ({ value: code, label: languageName(code) })),
          ]}
        />
        <Select
          label={t('Gender')}
          isLabelHidden
          value={gender}
          onChange={setGender}
          options={[
            { value: ANY, label: t('All genders') },
            { value: 'female', label: t('Female') },
            { value: 'male', label: t('Male') },
          ]}
        />
        <Select
          label={t('Tag')}
          isLabelHidden
          value={tag}
          onChange={setTag}
          options={[
            { value: ANY, label: t('All tags') },
            ...tags.map((name) => ({ value: name, label: name })),
          ]}
        />
        <Select
          label={t('Origin')}
          isLabelHidden
          value={owner}
          onChange={setOwner}
          options={[
            { value: ANY, label: t('All voices') },
            { value: 'own', label: t('Your voices') },
            { value: 'built-in', label: t('Built-in voices') },
            { value: 'favourites', label: t('Favourites') },
          ]}
        />
      </div>
      <QueryView query={voices}>
        {(all) => {
          const list = shown(all);
          if (list.length === 0) {
            return (
              <EmptyState icon="search" title={t('No voice matches.')}>
                {owner === 'own' ? (
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
