import type { Voice } from 'mynah';
import { useMemo } from 'react';
import { languageName } from '../lib/format.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { isCustom, matchesVoice } from '../lib/use-voices.ts';
import { Select } from '../ui/field.tsx';

const ANY = '';

export interface VoiceFilter {
  readonly query: string;
  readonly language: string;
  readonly gender: string;
  readonly tag: string;
  /** `own`, `built-in` or `favourites`; empty: any. */
  readonly origin: string;
}

export const NO_FILTER: VoiceFilter = { query: '', language: ANY, gender: ANY, tag: ANY, origin: ANY };

export function matchesFilter(
  voice: Voice,
  { query, language, gender, tag, origin }: VoiceFilter,
  favourites: readonly string[],
): boolean {
  return (
    matchesVoice(voice, query) &&
    (language === ANY || voice.languages.includes(language)) &&
    (gender === ANY || voice.gender === gender) &&
    (tag === ANY || voice.tags.includes(tag)) &&
    (origin !== 'own' || isCustom(voice)) &&
    (origin !== 'built-in' || !isCustom(voice)) &&
    (origin !== 'favourites' || favourites.includes(voice._id))
  );
}

/** Fields that narrow a list of voices. The choices come from `voices`. */
export function VoiceFilters({
  filter,
  onChange,
  voices,
}: {
  readonly filter: VoiceFilter;
  readonly onChange: (filter: VoiceFilter) => void;
  readonly voices: readonly Voice[];
}) {
  const t = useTranslate();
  const languages = useMemo(() => [...new Set(voices.flatMap((voice) => voice.languages))].sort(), [voices]);
  const tags = useMemo(() => [...new Set(voices.flatMap((voice) => voice.tags))].sort(), [voices]);
  const set = (change: Partial<VoiceFilter>) => onChange({ ...filter, ...change });
  return (
    <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr_1fr]">
      <input
        type="search"
        aria-label={t('Search voices')}
        placeholder={t('Search by name, language or tag')}
        className="input col-span-2 lg:col-span-1"
        value={filter.query}
        onChange={(event) => set({ query: event.target.value })}
      />
      <Select
        label={t('Language')}
        isLabelHidden
        value={filter.language}
        onChange={(language) => set({ language })}
        options={[
          { value: ANY, label: t('All languages') },
          ...languages.map((code) => ({ value: code, label: languageName(code) })),
        ]}
      />
      <Select
        label={t('Gender')}
        isLabelHidden
        value={filter.gender}
        onChange={(gender) => set({ gender })}
        options={[
          { value: ANY, label: t('All genders') },
          { value: 'female', label: t('Female') },
          { value: 'male', label: t('Male') },
        ]}
      />
      <Select
        label={t('Tag')}
        isLabelHidden
        value={filter.tag}
        onChange={(tag) => set({ tag })}
        options={[
          { value: ANY, label: t('All tags') },
          ...tags.map((name) => ({ value: name, label: name })),
        ]}
      />
      <Select
        label={t('Origin')}
        isLabelHidden
        value={filter.origin}
        onChange={(origin) => set({ origin })}
        options={[
          { value: ANY, label: t('All voices') },
          { value: 'own', label: t('Your voices') },
          { value: 'built-in', label: t('Built-in voices') },
          { value: 'favourites', label: t('Favourites') },
        ]}
      />
    </div>
  );
}
