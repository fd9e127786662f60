import { useQuery } from '@tanstack/react-query';
import type { Voice } from 'mynah';
import { mynah } from './api.ts';

export const VOICES_KEY = ['voices'] as const;
const VOICES_MAX = 2000;
/** The tag of a built-in voice that is a numbered speaker. */
const NUMBERED_SPEAKER = /^libritts-\d+$/;

/** All voices that the account may use: its own first. */
export function useVoices() {
  return useQuery({
    queryKey: VOICES_KEY,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const own: Voice[] = [];
      for await (const voice of mynah.voices.list({ self: true }, { signal })) {
        own.push(voice);
        if (own.length >= VOICES_MAX) break;
      }
      const all = new Map(own.map((voice) => [voice._id, voice]));
      for await (const voice of mynah.voices.list({}, { signal })) {
        if (!all.has(voice._id)) all.set(voice._id, voice);
        if (all.size >= VOICES_MAX) break;
      }
      return [...all.values()];
    },
  });
}

/** Whether the voice was made by an account and not shipped with the server. */
export function isCustom(voice: Voice): boolean {
  return voice.author.nickname !== 'Mynah';
}

/** Whether the server can mix the voice: it was made by an account, or it is a numbered speaker. */
export function isMixable(voice: Voice): boolean {
  return isCustom(voice) || voice.tags.some((tag) => NUMBERED_SPEAKER.test(tag));
}

/** Whether all words of the query occur in the title, the description, the tags or the languages. */
export function matchesVoice(voice: Voice, query: string): boolean {
  const text = [voice.title, voice.description, ...voice.tags, ...voice.languages].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
