import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { hasScope, useConsole } from '../lib/use-console.ts';
import { useTranslate } from '../lib/use-translate.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { NAVIGATION } from './navigation.ts';

/** Goes to a page by typing part of its name. Opens with Ctrl+K or ⌘K. */
export function CommandPalette() {
  const t = useTranslate();
  const navigate = useNavigate();
  const { data } = useConsole();
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setQuery('');
      setActive(0);
      setIsOpen((open) => !open);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const items = NAVIGATION.flatMap((group) => group.items)
    .filter(({ scope }) => scope === undefined || hasScope(data, scope))
    .filter(({ label }) => t(label).toLowerCase().includes(query.toLowerCase()));
  const go = (index: number) => {
    const item = items[index];
    if (item === undefined) return;
    setIsOpen(false);
    if (item.isDocument || location.pathname === '/talk') location.assign(item.to);
    else void navigate({ to: item.to });
  };
  return (
    <Dialog title={t('Go to')} isOpen={isOpen} onClose={() => setIsOpen(false)}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={`${listId}-${active}`}
        aria-label={t('Page')}
        className="input"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setActive(Math.min(active + 1, items.length - 1));
          else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
          else if (event.key === 'Enter') go(active);
          else return;
          event.preventDefault();
        }}
      />
      <div id={listId} role="listbox" aria-label={t('Page')} className="mt-2 max-h-80 overflow-y-auto">
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={item.to}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => go(index)}
            className="flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-2.5 aria-selected:bg-accent-soft aria-selected:text-accent"
          >
            <Icon name={item.icon} />
            {t(item.label)}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
