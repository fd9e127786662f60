import type { Voice } from 'mynah';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { playPreview, sampleUrl, stopPreview, usePreview } from '../audio/preview.ts';
import { languageName } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isCustom, matchesVoice, useVoices } from '../lib/use-voices.ts';
import { Icon } from './icons.tsx';
import { describeError } from './states.tsx';
import { VoiceAvatar } from './voice-avatar.tsx';

const SHOWN_MAX = 60;

/** Chooses a voice: search, arrow keys, and a preview of each. */
export function VoicePicker({
  label,
  value,
  filter,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  /** Which voices are offered; all where it is absent. */
  readonly filter?: (voice: Voice) => boolean;
  readonly onChange: (voice: Voice) => void;
}) {
  const t = useTranslate();
  const voices = useVoices();
  const [isOpen, setIsOpen] = useState(false);
  const labelId = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = voices.data?.find(({ _id }) => _id === value);
  const close = () => {
    setIsOpen(false);
    stopPreview();
  };
  const closeAndReturn = () => {
    close();
    trigger.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and the loss of the focus close the list
    <div
      className="relative min-w-0"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (isOpen && !currentTarget.contains(relatedTarget)) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        // An open dialog around the picker stays open.
        event.preventDefault();
        closeAndReturn();
      }}
    >
      <span id={labelId} className="mb-1 block text-sm font-medium">
        {label}
      </span>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-labelledby={`${labelId} ${labelId}-value`}
        className="input flex items-center gap-2.5 text-start"
        onClick={() => (isOpen ? close() : setIsOpen(true))}
      >
        <VoiceAvatar seed={chosen?._id ?? ''} size={24} />
        <span id={`${labelId}-value`} className="min-w-0 flex-1 truncate">
          {chosen?.title ?? (voices.isPending ? t('Loading') : t('Default voice'))}
          {chosen && <span className="text-muted"> · {chosen.languages.map(languageName).join(', ')}</span>}
        </span>
        <Icon name="down" size={16} />
      </button>
      {isOpen && (
        <div
          role="dialog"
          aria-label={label}
          // A click beside the rows keeps the focus inside.
          tabIndex={-1}
          className="absolute inset-x-0 top-full z-40 mt-1.5 rounded-xl border border-line bg-surface p-2 text-ink shadow-card"
        >
          <VoiceList
            voices={(filter ? voices.data?.filter(filter) : voices.data) ?? []}
            emptyText={
              voices.isPending
                ? t('Loading')
                : voices.error
                  ? describeError(voices.error, t)
                  : t('No voice matches.')
            }
            isLoading={voices.isPending}
            value={value}
            onChoose={(voice) => {
              onChange(voice);
              closeAndReturn();
            }}
          />
        </div>
      )}
    </div>
  );
}

function VoiceList({
  voices,
  isLoading,
  emptyText,
  value,
  onChoose,
}: {
  readonly voices: readonly Voice[];
  readonly isLoading: boolean;
  /** Shown instead of voices where there are none. */
  readonly emptyText: string;
  readonly value: string | undefined;
  readonly onChoose: (voice: Voice) => void;
}) {
  const t = useTranslate();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      voices.findIndex(({ _id }) => _id === value),
    ),
  );
  const [isChosenOnLoad, setIsChosenOnLoad] = useState(false);
  const shown = useMemo(
    () => voices.filter((voice) => matchesVoice(voice, query)).slice(0, SHOWN_MAX),
    [voices, query],
  );
  const chooseFirst = useEffectEvent(() => {
    if (shown[0]) onChoose(shown[0]);
  });
  useEffect(() => {
    if (isLoading || !isChosenOnLoad) return;
    setIsChosenOnLoad(false);
    chooseFirst();
  }, [isLoading, isChosenOnLoad]);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(to, shown.length - 1));
    setActive(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has opened the list to search it
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${active}` : undefined}
        aria-label={t('Search voices')}
        placeholder={t('Search by name, language or tag')}
        className="input"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
          setIsChosenOnLoad(false);
        }}
        onKeyDown={(event) => {
          const voice = shown[active];
          if (event.key === 'ArrowDown') move(active + 1);
          else if (event.key === 'ArrowUp') move(active - 1);
          else if (event.key === 'Enter' && voice) onChoose(voice);
          else if (event.key === 'Enter' && isLoading) setIsChosenOnLoad(true);
          else if (event.key === ' ' && event.ctrlKey && voice) playPreview(sampleUrl(voice._id));
          else return;
          event.preventDefault();
        }}
      />
      <p className="px-1 pt-1.5 text-xs text-muted">{t('Arrow keys choose, Ctrl+Space plays a sample.')}</p>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={t('Voices')}
        className="mt-1.5 max-h-72 overflow-y-auto"
      >
        {shown.map((voice, index) => (
          <VoiceOption
            key={voice._id}
            id={`${listId}-${index}`}
            voice={voice}
            isActive={index === active}
            isChosen={voice._id === value}
            onChoose={() => onChoose(voice)}
          />
        ))}
        {shown.length === 0 && <p className="p-4 text-center text-muted">{emptyText}</p>}
      </div>
    </>
  );
}

function VoiceOption({
  id,
  voice,
  isActive,
  isChosen,
  onChoose,
}: {
  readonly id: string;
  readonly voice: Voice;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const t = useTranslate();
  const playing = usePreview();
  const url = sampleUrl(voice._id);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={onChoose}
      className="flex cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1.5 hover:bg-sunken aria-selected:bg-accent-soft"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Space does the same by keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+Space does the same by keyboard */}
      <span
        title={t('Play a sample')}
        onClick={(event) => {
          event.stopPropagation();
          playPreview(url);
        }}
      >
        <VoiceAvatar seed={voice._id} size={32} icon={playing === url ? 'stop' : 'play'} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{voice.title}</span>
        <span className="block truncate text-sm text-muted">
          {[...voice.languages.map(languageName), ...(isCustom(voice) ? [t('Your voice')] : [])].join(' · ')}
        </span>
      </span>
      {isChosen && <Icon name="check" />}
    </div>
  );
}
