import type { Message } from '../lib/i18n.ts';
import type { IconName } from '../ui/icons.tsx';

export interface NavigationItem {
  readonly to: string;
  readonly label: Message;
  readonly icon: IconName;
  readonly scope?: string;
  /** The page has its own content security policy, so the document is loaded anew. */
  readonly isDocument?: boolean;
}

export const NAVIGATION: readonly { readonly title: Message; readonly items: readonly NavigationItem[] }[] = [
  {
    title: 'Create',
    items: [
      { to: '/', label: 'Playground', icon: 'wave' },
      { to: '/dialogue', label: 'Dialogue', icon: 'dialogue' },
      { to: '/voices', label: 'Voices', icon: 'users' },
      { to: '/clone', label: 'Clone', icon: 'voice' },
      { to: '/transcribe', label: 'Transcribe', icon: 'text' },
      { to: '/talk', label: 'Talk', icon: 'chat', isDocument: true },
      { to: '/dictionaries', label: 'Dictionaries', icon: 'book' },
    ],
  },
  {
    title: 'Account',
    items: [
      { to: '/keys', label: 'API keys', icon: 'key' },
      { to: '/usage', label: 'Usage and wallet', icon: 'chart' },
      { to: '/sessions', label: 'Sessions', icon: 'shield' },
      { to: '/admin', label: 'Administration', icon: 'gear', scope: 'admin' },
    ],
  },
];

/** Whether the page at this path has its own content security policy. */
export function hasOwnPolicy(path: string): boolean {
  return NAVIGATION.some(({ items }) => items.some((item) => item.isDocument && item.to === path));
}

/** The pages in the bar at the bottom of a phone. */
export const PHONE_BAR = ['/', '/voices', '/clone', '/transcribe'] as const;
