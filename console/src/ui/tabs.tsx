import { Tabs as RadixTabs } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
}

export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value?: string;
  readonly onChange?: (id: string) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value decides which tab is active
  useEffect(() => {
    if (list.current) scrollToActiveTab(list.current);
  }, [value]);
  return (
    <RadixTabs.Root
      {...(value !== undefined && { value })}
      {...(value === undefined && tabs[0] && { defaultValue: tabs[0].id })}
      {...(onChange && { onValueChange: onChange })}
    >
      <RadixTabs.List
        ref={list}
        aria-label={label}
        className="mb-4 flex gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map(({ id, label: text }) => (
          <RadixTabs.Trigger
            key={id}
            value={id}
            className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
          >
            {text}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ id, content }) => (
        <RadixTabs.Content key={id} value={id}>
          {content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}

/** Scrolls a row of tabs that is wider than the screen. The page itself does not scroll. */
function scrollToActiveTab(list: HTMLElement): void {
  const active = list.querySelector('[data-state=active]');
  if (active === null) return;
  const [row, tab] = [list.getBoundingClientRect(), active.getBoundingClientRect()];
  list.scrollBy({ left: tab.left + tab.width / 2 - (row.left + row.width / 2) });
}
