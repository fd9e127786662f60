import { Tabs as RadixTabs } from 'radix-ui';
import type { ReactNode } from 'react';

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
  return (
    <RadixTabs.Root
      {...(value !== undefined && { value })}
      {...(value === undefined && tabs[0] && { defaultValue: tabs[0].id })}
      {...(onChange && { onValueChange: onChange })}
    >
      <RadixTabs.List aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
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
